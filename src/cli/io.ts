import { InvalidArgumentError } from 'commander';
import { stopSignal } from '../config/process.js';
import { INTERRUPTED } from './failures.js';

export interface Io {
  /** Prints a line of the result. */
  readonly out: (line: string) => void;
  /** Prints a line about the run. */
  readonly err: (line: string) => void;
  readonly stdin: NodeJS.ReadableStream;
  /** Aborted by the first signal. */
  readonly stop: AbortSignal;
}

/** The process's own. The first signal stops the tool, the next one ends it. */
export function processIo(): Io {
  process.stdout.on('error', () => process.exit()); // its reader has closed it
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
    stdin: process.stdin,
    stop: stopSignal(INTERRUPTED),
  };
}

/** A parser of an option's value. One that does not match is refused with the hint. */
export function matching(pattern: RegExp, hint: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InvalidArgumentError(hint);
  };
}

/** A text without characters that a terminal would obey: a username may hold any. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
