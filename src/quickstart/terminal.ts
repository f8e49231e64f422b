import { styleText } from 'node:util';

export type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** The text in a style, where the stream is a terminal that has styles and the environment does not ask for none. */
export function styled(style: Style, text: string, stream: NodeJS.WritableStream): string {
  return styleText(style, text, { stream });
}

/** The part of a stream that is used here. */
export interface Output {
  write(text: string): unknown;
}

/** Work that may take a while. */
export type Step = <T>(title: string, work: () => Promise<T>) => Promise<T>;

export const silently: Step = (_, work) => work();

/** Writes the title and, once the work is done, how long it took. */
export function stepsOn(output: Output): Step {
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
