import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ECHO_TIME, STOP_SIGNALS } from '../config/signals.js';
import { type Style, styled } from '../quickstart/terminal.js';
import { Interrupted, INTERRUPTED } from './failures.js';

/** The tool's input and output. */
export interface Io {
  /** A line of the result. */
  out(line: string): void;
  /** A line about the run. */
  err(line: string): void;
  /** A part of a line of the result in a style, where it is shown on a terminal. */
  paint(style: Style, text: string): string;
  /** Whether somebody can be asked. */
  readonly isTerminal: boolean;
  /** A line from the terminal. Throws Interrupted. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
  readonly stdin: AsyncIterable<Buffer | string>;
  /** Aborted by the first signal. */
  readonly stop: AbortSignal;
}

/** The process's own. The first signal stops the tool, the next one ends it. */
export function processIo(): Io {
  const controller = new AbortController();
  let stoppedAt = 0;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (!controller.signal.aborted) stoppedAt = Date.now();
      else if (Date.now() - stoppedAt > ECHO_TIME) process.exit(INTERRUPTED);
      controller.abort();
    });
  }
  process.stdout.on('error', () => process.exit()); // its reader has closed it
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    paint: (style, text) => styled(style, text, process.stdout),
    isTerminal: process.stdin.isTTY && process.stderr.isTTY,
    ask: (question, options) =>
      ask(process.stdin, process.stderr, question, { ...options, stop: controller.signal }),
    stdin: process.stdin,
    stop: controller.signal,
  };
}

/** A line of the input. Throws {@link Interrupted} on Ctrl-C, Ctrl-D and when it is stopped. */
export async function ask(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  question: string,
  { hidden = false, stop }: { hidden?: boolean; stop?: AbortSignal } = {},
): Promise<string> {
  const shown = new Writable({
    write: (chunk: Buffer, _, done) => {
      if (!hidden) output.write(chunk);
      done();
    },
  });
  // In its mode for terminals readline echoes the keys, and the terminal itself none.
  const lines = createInterface({ input, output: shown, terminal: true, historySize: 0, prompt: '' });
  output.write(question); // after readline has the terminal, so that no key is echoed before
  try {
    return await new Promise((resolve, reject) => {
      const interrupt = (): void => reject(new Interrupted('Interrupted: nothing was changed.'));
      lines.once('line', resolve).once('SIGINT', interrupt).once('close', interrupt);
      stop?.addEventListener('abort', interrupt, { once: true });
    });
  } finally {
    lines.close();
    if (hidden) output.write('\n');
  }
}

const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text without characters that a terminal would obey: a username may hold any. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** The same for JSON, where such characters stand in strings alone. */
export function escaped(json: string): string {
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(CONTROLS, (char) => char.split('').map(escape).join(''));
}
