/** The file, the rules or the command cannot be understood as a whole: nothing is recorded. */
export class Refusal extends Error {
  constructor(
    message: string,
    /** 2 where the command or the rules are wrong, 1 where the file is. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}

/** One line of the file that cannot be understood. */
export interface LineFault {
  readonly line: number;
  readonly message: string;
}
