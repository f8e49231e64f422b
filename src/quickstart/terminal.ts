import { styleText } from 'node:util';

export type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** The text in a style, where the stream is a terminal that has styles and the environment does not ask for none. */
export function styled(style: Style, text: string, stream: NodeJS.WritableStream): string {
  return styleText(style, text, { stream });
}

/** What of a stream is asked for here. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** How often a line is written over, in milliseconds. */
const REFRESH_INTERVAL = 100;

/** A line that is written over again and again. Where the output is no terminal, nothing is written. */
export class StatusLine {
  private shown = '';
  private shownAt = -REFRESH_INTERVAL;

  constructor(private readonly output: Output) {}

  show(text: string): void {
    if (performance.now() - this.shownAt < REFRESH_INTERVAL) return;
    this.shownAt = performance.now();
    this.replace(text);
  }

  clear(): void {
    if (this.shown === '') return;
    this.replace('');
    this.output.write('\r');
    this.shownAt = -REFRESH_INTERVAL;
  }

  /** With blanks in place of an escape sequence, which not every terminal knows. */
  private replace(text: string): void {
    if (this.output.isTTY !== true) return;
    this.output.write(`\r${text.padEnd(this.shown.length)}`);
    this.shown = text;
  }
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
