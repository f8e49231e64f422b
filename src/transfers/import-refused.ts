import { ProblemError } from '../http/problem/problem.js';
import type { ImportFinding } from './imports.response.js';

export interface ImportCounts {
  readonly rows: number;
  readonly duplicates: number;
  readonly faults: number;
}

/** 422 of a file that has something wrong in it: nothing of it is stored. */
export function importRefused(counts: ImportCounts, findings: readonly ImportFinding[]): ProblemError {
  const { rows, duplicates, faults } = counts;
  const remedy =
    faults > 0 ? 'see findings' : 'duplicates=skip leaves these rows out, duplicates=allow takes them';
  const found = [
    ...(faults > 0 ? [counted(faults, 'fault')] : []),
    ...(duplicates > 0 ? [counted(duplicates, 'duplicate')] : []),
  ].join(' and ');
  return new ProblemError(
    'import-refused',
    `The file has ${found} in ${counted(rows, 'row')}, and nothing of it was stored: ${remedy}.`,
    { members: { ...counts, findings } },
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
