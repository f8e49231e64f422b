/** It did not work, or what was looked for was found. */
export const FAILED = 1;
/** It was called wrongly. */
export const USAGE = 2;
/** It was stopped before its end, by Ctrl-C for example: 128 and the number of SIGINT, as shells have it. */
export const INTERRUPTED = 130;

export type ExitCode = typeof FAILED | typeof USAGE | typeof INTERRUPTED;
