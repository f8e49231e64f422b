import { createHash } from 'node:crypto';
import type { RunStatement } from '../database/database.js';
import type { TransactionRequest } from '../transactions/transactions.dto.js';
import { ALIKE } from './bulk.queries.js';
import { Findings } from './findings.js';

/** What a row is compared with stored transactions by. */
export interface Comparable {
  readonly line: number;
  /** In UTC. */
  readonly day: string;
  readonly amount: string;
  /** The same for duplicates, as {@link ALIKE} makes it of what is stored. */
  readonly key: string;
}

export function comparable(line: number, request: TransactionRequest): Comparable {
  const { propertyId, amount, paymentReference, type, description, vendor } = request;
  const day = request.date.slice(0, 10);
  const what =
    paymentReference === null || paymentReference === ''
      ? [type, JSON.stringify(description), ...(vendor === null ? [] : [JSON.stringify(vendor)])]
      : [JSON.stringify(paymentReference)];
  const key = createHash('sha256')
    .update([propertyId, amount, day, ...what].join(' '))
    .digest('hex');
  return { line, day, amount, key };
}

/** The rows that are duplicates, each with the stored transaction that it repeats. */
export class Duplicates {
  private readonly repeated = new Map<Comparable, string>();

  has(row: Comparable): boolean {
    return this.repeated.has(row);
  }

  /**
   * Adds those of an owner's rows that are stored already. Rows are counted: of two alike with one stored the first is a
   * duplicate, because a file lists twice what was paid twice.
   */
  async find(run: RunStatement, ownerId: string, rows: readonly Comparable[]): Promise<void> {
    const stored = await alike(run, ownerId, rows);
    for (const row of rows) {
      const id = stored.get(row.key)?.shift();
      if (id !== undefined) this.repeated.set(row, id);
    }
  }

  /** By line. */
  get findings(): Findings {
    const findings = new Findings();
    const sorted = [...this.repeated].sort(([one], [other]) => one.line - other.line);
    for (const [{ line }, id] of sorted) findings.add(line, null, `is a duplicate of transaction ${id}`);
    return findings;
  }
}

/** Key → the stored transactions that have it, the first first. */
async function alike(
  run: RunStatement,
  ownerId: string,
  rows: readonly Comparable[],
): Promise<ReadonlyMap<string, string[]>> {
  const days = rows.map(({ day }) => day).sort();
  if (days.length === 0) return new Map();
  const found = await run<{ key: string; ids: string[] }>(ALIKE, [
    ownerId,
    `${days[0]}T00:00Z`,
    `${days.at(-1)}T00:00Z`,
    [...new Set(rows.map(({ amount }) => amount))],
    [...new Set(rows.map(({ key }) => key))],
    rows.length,
  ]);
  return new Map(found.map(({ key, ids }) => [key, ids]));
}
