/** Work that may take a while. */
export type Step = <T>(title: string, work: () => Promise<T>) => Promise<T>;

/** Writes the title and, once the work is done, how long it took. */
export function stepsOn(output: Pick<NodeJS.WritableStream, 'write'>): Step {
  return async (title, work) => {
    const start = performance.now();
    output.write(`${title} … `);
    try {
      const result = await work();
      output.write(`${duration(performance.now() - start)}\n`);
      return result;
    } catch (error) {
      output.write('failed\n');
      throw error;
    }
  };
}

/** A duration in milliseconds, as people say it. */
export function duration(milliseconds: number): string {
  const whole = Math.round(milliseconds);
  return whole < 1000 ? `${whole} ms` : `${(whole / 1000).toFixed(1)} s`;
}
