import { StatusLine, type Style, styled } from '../quickstart/terminal.js';
import { INTERRUPTED } from './exit-codes.js';

/** How the tool speaks with the world around it. */
export interface Io {
  /** One line of what was asked for. */
  out(line: string): void;
  /** One line about how it went. */
  err(line: string): void;
  /** How far it has got: on a terminal alone, and until the next line. */
  status(text: string): void;
  /** Gives a part of a line of what was asked for a style, where it is shown on a terminal. */
  paint(style: Style, text: string): string;
  readonly stdin: AsyncIterable<Buffer | string>;
  /** Aborted when the tool shall stop. */
  readonly stop: AbortSignal;
}

/** Under npm one Ctrl-C arrives twice: from the terminal, and from npm, which passes it on. Milliseconds. */
const ECHO_TIME = 500;

/** The process's own. The first signal asks the tool to stop, the next one ends it. */
export function processIo(): Io {
  const controller = new AbortController();
  let asked = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!controller.signal.aborted) asked = Date.now();
      else if (Date.now() - asked > ECHO_TIME) process.exit(INTERRUPTED);
      controller.abort();
    });
  }
  process.stdout.on('error', () => process.exit()); // whoever read it has heard enough
  const status = new StatusLine(process.stderr);
  const write = (stream: NodeJS.WritableStream, line: string): void => {
    status.clear();
    stream.write(`${line}\n`);
  };
  return {
    out: (line) => write(process.stdout, line),
    err: (line) => write(process.stderr, line),
    status: (text) => status.show(text),
    paint: (style, text) => styled(style, text, process.stdout),
    stdin: process.stdin,
    stop: controller.signal,
  };
}

/** What an account is called can hold anything, also what a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
