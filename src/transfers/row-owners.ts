import type { Caller } from '../common/access/caller.js';
import { Fault } from '../common/validation/field.js';
import type { RunStatement } from '../database/database.js';
import { NO_OWNER } from '../database/owned.repository.js';
import type { Row } from './duplicates.js';
import type { Findings } from './findings.js';

const UNNAMED = new Fault([['propertyName', 'must be the name of exactly one of your properties']]);
const UNOWNED = new Fault([['propertyId', 'must be the id of one of your properties']]);

/** The rows with the properties of the caller that they name. Adds the findings of rows whose name tells none. */
export async function placed(run: RunStatement, caller: Caller, rows: readonly Row[], findings: Findings) {
  const names = [...new Set(rows.flatMap(({ propertyName }) => propertyName ?? []))];
  const text = `SELECT p.name, min(p.id) AS id FROM properties p
     WHERE p.owner_id = $1 AND p.name = ANY ($2::text[]) GROUP BY p.name HAVING count(*) = 1`;
  const statement = { name: 'transfers.named_properties', text };
  const found =
    names.length === 0 ? [] : await run<{ name: string; id: string }>(statement, [caller.id, names]);
  const ids = new Map(found.map(({ name, id }) => [name, id]));
  return rows.flatMap((row) => {
    if (row.propertyName === undefined) return row;
    const propertyId = ids.get(row.propertyName);
    if (propertyId !== undefined) return { ...row, propertyId };
    findings.add(row.line, UNNAMED);
    return [];
  });
}

/** Rows by owner: the caller or, for an ADMIN, the owner of what the key names. In one order, lest two writes deadlock. */
export async function byOwner<T>(
  run: RunStatement,
  caller: Caller,
  rows: readonly T[],
  table: 'properties' | 'transactions',
  keyOf: (row: T) => string | undefined,
): Promise<[ownerId: string, rows: readonly T[]][]> {
  if (caller.role !== 'ADMIN') return rows.length > 0 ? [[caller.id, rows]] : [];
  const text = `SELECT o.id, o.owner_id FROM ${table} o WHERE o.id = ANY ($1::bigint[]) ORDER BY o.owner_id`;
  const statement = { name: `transfers.owners_of_${table}`, text };
  const found = await run<{ id: string; owner_id: string }>(statement, [[...new Set(rows.map(keyOf))]]);
  const owners = new Map<string | undefined, string>(found.map(({ id, owner_id }) => [id, owner_id]));
  const groups = new Map<string, T[]>([NO_OWNER, ...owners.values()].map((ownerId) => [ownerId, []]));
  for (const row of rows) groups.get(owners.get(keyOf(row)) ?? NO_OWNER)?.push(row);
  return [...groups].filter(([, group]) => group.length > 0);
}

/** Locks the properties of the rows, so that none is deleted meanwhile. Adds the findings of rows in another's. */
export async function holdProperties(
  run: RunStatement,
  ownerId: string,
  rows: readonly Pick<Row, 'line' | 'propertyId'>[],
  findings: Pick<Findings, 'add'>,
): Promise<void> {
  const named = [...new Set(rows.flatMap(({ propertyId }) => propertyId ?? []))];
  const text = `SELECT p.id FROM properties p WHERE p.owner_id = $1 AND p.id = ANY ($2::bigint[]) ORDER BY p.id FOR KEY SHARE`;
  const held = await run<{ id: string }>({ name: 'transfers.hold_properties', text }, [ownerId, named]);
  const ids = new Set(held.map(({ id }) => id));
  for (const { line, propertyId } of rows)
    if (propertyId !== undefined && !ids.has(propertyId)) findings.add(line, UNOWNED);
}
