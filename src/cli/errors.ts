/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {}

/** It did not work, for a reason that one line tells: exit code 1. */
export class Failure extends Error {}

/** It was told to stop before the end: exit code 130. */
export class Interrupted extends Error {}
