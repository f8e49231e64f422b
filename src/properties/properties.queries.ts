import type { OwnerScope } from '../access/owner-scope.js';
import type { Statement } from '../database/database.js';
import { exact, JsonView, plain } from '../database/json-view.js';
import { orderBy, type PageQuery, preparedName, type SortColumns } from '../database/page-query.js';
import type { SortKey } from '../http/fields/sort.js';

/** PropertyResponse. */
export const PROPERTY_VIEW = new JsonView({
  id: exact('id'),
  ownerId: exact('owner_id'),
  name: plain('name'),
  address: plain('address'),
  description: plain('description'),
  basePrice: exact('base_price'),
  maxGuests: exact('max_guests'),
  bedrooms: exact('bedrooms'),
  bathrooms: exact('bathrooms'),
  active: plain('active'),
  strPermitNumber: plain('str_permit_number'),
  houseRules: plain('house_rules'),
  checkInInstructions: plain('check_in_instructions'),
});

/** Texts sort by code point, whatever the locale of the database. `date` and `amount` are aliases. */
const SORT_COLUMNS = {
  id: 't.id',
  name: 't.name COLLATE "C"',
  address: 't.address COLLATE "C"',
  basePrice: 't.base_price',
  maxGuests: 't.max_guests',
  bedrooms: 't.bedrooms',
  bathrooms: 't.bathrooms',
  active: 't.active',
  createdAt: 't.created_at',
  updatedAt: 't.updated_at',
  date: 't.created_at',
  amount: 't.base_price',
} satisfies SortColumns<string>;

export type PropertySortField = keyof typeof SORT_COLUMNS;
export const PROPERTY_SORT_FIELDS = Object.keys(SORT_COLUMNS) as PropertySortField[];

export const PROPERTY_BY_ID: Statement = {
  name: 'properties.by_id',
  text: `SELECT t.version, ${PROPERTY_VIEW.json} AS json
           FROM properties t WHERE t.owner_id = $1 AND t.id = $2`,
};

/** For ADMIN, who then acts on the row as its owner does. */
export const PROPERTY_OWNER: Statement = {
  name: 'properties.owner',
  text: 'SELECT t.owner_id FROM properties t WHERE t.id = $1',
};

export const PROPERTY_VERSION: Statement = {
  name: 'properties.version',
  text: 'SELECT t.version FROM properties t WHERE t.owner_id = $1 AND t.id = $2',
};

export function propertyPage(scope: OwnerScope, keys: readonly SortKey<PropertySortField>[]): PageQuery {
  const list = { table: 'properties', view: PROPERTY_VIEW, order: orderBy(keys, SORT_COLUMNS) };
  if (scope === 'every-owner') {
    const total = '(SELECT coalesce(sum(o.properties), 0) FROM owner_totals o)';
    return { ...list, ...preparedName('properties.all', keys), where: 'true', total, values: [] };
  }
  const total = 'coalesce((SELECT o.properties FROM owner_totals o WHERE o.owner_id = $1), 0)';
  return {
    ...list,
    ...preparedName('properties.of_owner', keys),
    where: 't.owner_id = $1',
    total,
    values: [scope.ownerId],
  };
}
