import { decimalOf, type Entry } from './books-oracle.js';
import { createProperty } from './factories.js';
import { insert } from './search-rows.js';
import type { Account, Service } from './service.js';

/** Makes three properties, and puts the entries into the table, past the service. Returns the properties' ids. */
export async function storeEntries(
  service: Service,
  owner: Account,
  entries: readonly Entry[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const name of ['First', 'Second', 'Third']) ids.push((await createProperty(owner, { name })).id);
  const common = { ownerId: owner.id, propertyName: '', description: '', recurring: false };
  const rows = entries.map(({ property, cents, ...fields }) => {
    return { ...common, ...fields, propertyId: ids[property], amount: decimalOf(cents) };
  });
  await insert(service, 'transactions', rows);
  return ids;
}
