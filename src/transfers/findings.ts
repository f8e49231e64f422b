import { type ImportFinding, MAX_FINDINGS } from './imports.response.js';

/** What is found in the order of the lines. All are counted, the first are kept. */
export class Findings {
  count = 0;
  readonly first: ImportFinding[] = [];

  add(line: number, field: string | null, reason: string): void {
    this.count++;
    if (this.first.length < MAX_FINDINGS) this.first.push({ line, field, reason });
  }
}

/** By line; where they are too many, the last of them are left out. */
export function listed(...all: readonly Findings[]): ImportFinding[] {
  return all
    .flatMap(({ first }) => first)
    .slice(0, MAX_FINDINGS)
    .sort((one, other) => one.line - other.line);
}
