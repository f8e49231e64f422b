import { StatusLine, type Style, styled } from '../quickstart/terminal.js';
import { ECHO_TIME, STOP_SIGNALS } from '../config/signals.js';
import { ask, type AskOptions } from './ask.js';
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
  /** Whether somebody is there to answer. */
  readonly isTerminal: boolean;
  /** What somebody at the terminal types. Throws Interrupted. */
  ask(question: string, options?: AskOptions): Promise<string>;
  readonly stdin: AsyncIterable<Buffer | string>;
  /** Aborted when the tool shall stop. */
  readonly stop: AbortSignal;
}

/** The process's own. The first signal asks the tool to stop, the next one ends it. */
export function processIo(): Io {
  const controller = new AbortController();
  let asked = 0;
  for (const signal of STOP_SIGNALS) {
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
    isTerminal: process.stdin.isTTY && process.stderr.isTTY,
    ask: (question, options) => {
      status.clear();
      return ask(process.stdin, process.stderr, question, { ...options, stop: controller.signal });
    },
    stdin: process.stdin,
    stop: controller.signal,
  };
}

const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** What an account is called can hold anything, also what a terminal would obey. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** The same for JSON, where such characters stand in strings alone. */
export function escaped(json: string): string {
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(CONTROLS, (char) => char.split('').map(escape).join(''));
}
