import type { ParseArgsConfig } from 'node:util';
import type { Io } from './io.js';
import type { Target } from './target.js';

/** Something that the tool does. */
export interface Command {
  /** The words that call it, as `user create`. */
  readonly name: string;
  /** What follows the words, for the help. */
  readonly usage: string;
  readonly summary: string;
  /** A call as one could make it, without the program's own name. */
  readonly example: string;
  /** What its options do, for the help. */
  readonly details?: Readonly<Record<string, string>>;
  readonly options?: ParseArgsConfig['options'];
  /** Options that must be given. */
  readonly required?: readonly string[];
  /** The names of the arguments; all of them must be given. */
  readonly operands?: readonly string[];
  /** Returns the exit code where it is not 0. */
  run(invocation: Invocation): Promise<number | undefined>;
}

/** A command as it was called. */
export interface Invocation {
  readonly io: Io;
  readonly target: Target;
  /** Whether the program was made from the sources as they are. */
  readonly isBuilt: () => boolean;
  readonly text: (option: string) => string | undefined;
  readonly flag: (option: string) => boolean;
  readonly operand: (index: number) => string;
}
