import { decimalOf, type Entry } from './books-oracle.js';
import { createProperty } from './factories.js';
import type { Account, Service } from './service.js';

/** Makes three properties, and puts the entries into the table, past the service. Returns the properties' ids. */
export async function storeEntries(
  service: Service,
  owner: Account,
  entries: readonly Entry[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const name of ['First', 'Second', 'Third']) ids.push((await createProperty(owner, { name })).id);
  const rows = entries.map(({ property, cents, paidAt, ...columns }) => ({
    ...columns,
    property_id: ids[property],
    amount: decimalOf(cents),
    paid_at: paidAt,
  }));
  await service.sql(
    `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date, status,
       recurring, paid_at)
     SELECT $1, property_id, '', type, category, '', amount, date, status, false, paid_at
       FROM json_populate_recordset(NULL::transactions, $2)`,
    [owner.id, JSON.stringify(rows)],
  );
  return ids;
}
