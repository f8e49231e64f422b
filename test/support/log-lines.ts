import { opened } from './opened.js';

/** A line of the service's log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg?: string };

/**
 * The standard output, kept off the terminal. It is made before the service, because pino looks for it once.
 */
export class LogLines {
  readonly #write = Reflect.get(process.stdout, 'write');
  #text = '';

  constructor() {
    process.stdout.write = (data: unknown) => {
      this.#text += String(data);
      return true;
    };
  }

  get text(): string {
    return this.#text;
  }

  get lines(): LogLine[] {
    return this.#text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LogLine);
  }

  /** The lines at a level. */
  at(level: string): LogLine[] {
    return this.lines.filter((line) => line.level === level);
  }

  clear(): void {
    this.#text = '';
  }

  readonly release = opened(() => void (process.stdout.write = this.#write));
}
