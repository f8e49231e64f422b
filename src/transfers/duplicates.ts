import type { RunStatement } from '../database/database.js';
import { ALIKE } from './bulk.queries.js';
import { Findings } from './findings.js';
import type { Row } from './read-rows.js';

export const DUPLICATES = ['refuse', 'skip', 'allow'] as const;
/** What becomes of the file when rows are duplicates, or of these rows. */
export type DuplicateRule = (typeof DUPLICATES)[number];

/** Rows of one owner that are told as duplicates, by what they are like. */
export class Duplicates {
  private readonly reasons = new Map<Row, string>();

  has(row: Row): boolean {
    return this.reasons.has(row);
  }

  /** Finds those that are like a row before them, or like a transaction that is stored. */
  async find(run: RunStatement, ownerId: string, rows: readonly Row[]): Promise<void> {
    const firsts = new Map<string, Row>();
    for (const row of rows) {
      const first = firsts.get(keyOf(row));
      if (first === undefined) firsts.set(keyOf(row), row);
      else this.reasons.set(row, `is a duplicate of line ${first.line}`);
    }
    const stored = await alike(run, ownerId, [...firsts.values()]);
    for (const row of rows) {
      const id = stored.get(firsts.get(keyOf(row))?.line ?? 0);
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

/** The property, the amount, the day in UTC and the payment reference: two rows with the same are duplicates. */
function keyOf({ request }: Row): string {
  const { propertyId, amount, paymentReference } = request;
  return JSON.stringify([propertyId, amount, dayOf(request.date), paymentReference]);
}

/** Of the instant that a reader has made, which is in UTC. */
function dayOf(instant: string): string {
  return instant.slice(0, 10);
}

async function alike(
  run: RunStatement,
  ownerId: string,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, string>> {
  const days = rows.map(({ request }) => dayOf(request.date)).sort();
  if (days.length === 0) return new Map();
  const asked = rows.map(({ line, request: { propertyId, amount, date, paymentReference } }) => ({
    line,
    property_id: propertyId,
    amount,
    day: dayOf(date),
    reference: paymentReference,
  }));
  const found = await run<{ line: number; id: string }>(ALIKE, [
    ownerId,
    `${days[0]}T00:00Z`,
    `${days.at(-1)}T00:00Z`,
    JSON.stringify(asked),
  ]);
  return new Map(found.map(({ line, id }) => [line, id]));
}
