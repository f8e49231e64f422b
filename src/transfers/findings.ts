/** Something of a file that keeps it from being imported, or that whoever sent it will want to know. */
export interface Finding {
  /** Of the file, counted from 1: where the row begins. */
  readonly line: number;
  /** A field, or an element of one (`tags[1]`); null when it is about the row. */
  readonly field: string | null;
  readonly reason: string;
}

/** How many are listed; more would say no more. */
export const MOST_FINDINGS = 100;

/** What is found in the order of the lines. All are counted, the first are kept. */
export class Findings {
  count = 0;
  readonly first: Finding[] = [];

  add(line: number, field: string | null, reason: string): void {
    this.count++;
    if (this.first.length < MOST_FINDINGS) this.first.push({ line, field, reason });
  }
}

/** By line; where they are too many, the last of them are left out. */
export function listed(...all: readonly Findings[]): Finding[] {
  return all
    .flatMap(({ first }) => first)
    .slice(0, MOST_FINDINGS)
    .sort((one, other) => one.line - other.line);
}
