import type { RunStatement } from '../database/database.js';
import { ALIKE } from './bulk.queries.js';
import { Findings } from './findings.js';
import type { Row } from './read-rows.js';

export const DUPLICATES = ['refuse', 'skip', 'allow'] as const;
/** What becomes of the file when rows are duplicates, or of these rows. */
export type DuplicateRule = (typeof DUPLICATES)[number];

/** The rows that are duplicates, each with what it repeats. */
export class Duplicates {
  private readonly reasons = new Map<Row, string>();

  has(row: Row): boolean {
    return this.reasons.has(row);
  }

  /** Adds those of an owner's rows that repeat an earlier row or a stored transaction. */
  async find(run: RunStatement, ownerId: string, rows: readonly Row[]): Promise<void> {
    const firsts = new Map<string, Row>();
    for (const row of rows) {
      const first = firsts.get(row.key);
      if (first === undefined) firsts.set(row.key, row);
      else this.reasons.set(row, `is a duplicate of line ${first.line}`);
    }
    const stored = await alike(run, ownerId, [...firsts.values()]);
    for (const row of rows) {
      const id = stored.get(row.key);
      if (id !== undefined) this.reasons.set(row, `is a duplicate of transaction ${id}`);
    }
  }

  /** By line. */
  get findings(): Findings {
    const findings = new Findings();
    const sorted = [...this.reasons].sort(([one], [other]) => one.line - other.line);
    for (const [{ line }, reason] of sorted) findings.add(line, null, reason);
    return findings;
  }
}

async function alike(
  run: RunStatement,
  ownerId: string,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, string>> {
  const days = rows.map(({ day }) => day).sort();
  if (days.length === 0) return new Map();
  const found = await run<{ key: string; id: string }>(ALIKE, [
    ownerId,
    `${days[0]}T00:00Z`,
    `${days.at(-1)}T00:00Z`,
    [...new Set(rows.map(({ entry }) => entry))],
    rows.map(({ key }) => key),
  ]);
  return new Map(found.map(({ key, id }) => [key, id]));
}
