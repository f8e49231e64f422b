import type { Caller } from '../access/caller.js';
import type { RunStatement } from '../database/database.js';
import { OWNERS_OF_PROPERTIES } from './bulk.queries.js';

/** The part of a row that says whose it is. */
interface OfProperty {
  readonly propertyId: string;
}

export interface RowsByOwner<Row> {
  /** By the owners' ids, so that two writes at once take their locks in the same order. */
  readonly groups: readonly (readonly [ownerId: string, rows: readonly Row[]])[];
  /** Of properties that nobody has. */
  readonly others: readonly Row[];
}

/**
 * Under whose key each row is to be written: the caller's own, with which nothing of others is found, or, for ADMIN, that
 * of its property's owner.
 */
export async function byOwner<Row extends OfProperty>(
  run: RunStatement,
  caller: Caller,
  rows: readonly Row[],
): Promise<RowsByOwner<Row>> {
  if (caller.role !== 'ADMIN') return { groups: rows.length > 0 ? [[caller.id, rows]] : [], others: [] };
  const found = await run<{ id: string; owner_id: string }>(OWNERS_OF_PROPERTIES, [propertiesOf(rows)]);
  const owners = new Map(found.map(({ id, owner_id }) => [id, owner_id]));
  const groups = new Map<string, Row[]>();
  const others: Row[] = [];
  for (const row of rows) {
    const ownerId = owners.get(row.propertyId);
    const group = ownerId === undefined ? others : (groups.get(ownerId) ?? []);
    group.push(row);
    if (ownerId !== undefined) groups.set(ownerId, group);
  }
  return { groups: [...groups].sort(([one], [other]) => Number(BigInt(one) - BigInt(other))), others };
}

export function propertiesOf(rows: readonly OfProperty[]): string[] {
  return [...new Set(rows.map(({ propertyId }) => propertyId))];
}
