import type { Io } from './io.js';
import type { Target } from './target.js';

/** What the commands of one call work with. */
export interface Session {
  readonly io: Io;
  readonly target: Target;
  /** Whether the program was made from the sources as they are. */
  readonly isBuilt: () => boolean;
  /** 0, unless a command finds what it looks for. */
  exitCode: number;
}
