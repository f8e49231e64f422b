import type { Caller } from '../access/caller.js';
import type { RunStatement, Statement } from '../database/database.js';
import { NO_OWNER } from '../transactions/transactions.queries.js';

/** $1 the properties. For ADMIN, who files for their owners. */
const OWNERS_OF_PROPERTIES: Statement = {
  name: 'transfers.owners_of_properties',
  text: 'SELECT p.id, p.owner_id FROM properties p WHERE p.id = ANY ($1::bigint[]) ORDER BY p.owner_id',
};

interface OfProperty {
  readonly propertyId: string;
}

/**
 * Rows under the key that each is written with: the caller's own, with which nothing of others is found, or, for ADMIN,
 * that of its property's owner. By the owners' ids, so that two writes at once take their locks in the same order.
 */
export async function byOwner<Row extends OfProperty>(
  run: RunStatement,
  caller: Caller,
  rows: readonly Row[],
): Promise<[ownerId: string, rows: Row[]][]> {
  if (caller.role !== 'ADMIN') return rows.length > 0 ? [[caller.id, [...rows]]] : [];
  const found = await run<{ id: string; owner_id: string }>(OWNERS_OF_PROPERTIES, [propertiesOf(rows)]);
  const owners = new Map(found.map(({ id, owner_id }) => [id, owner_id]));
  const groups = new Map<string, Row[]>([NO_OWNER, ...owners.values()].map((ownerId) => [ownerId, []]));
  for (const row of rows) groups.get(owners.get(row.propertyId) ?? NO_OWNER)?.push(row);
  return [...groups].filter(([, group]) => group.length > 0);
}

export function propertiesOf(rows: readonly OfProperty[]): string[] {
  return [...new Set(rows.map(({ propertyId }) => propertyId))];
}
