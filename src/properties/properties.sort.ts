import type { SortColumn } from '../database/lists/list-statement.js';

/** Texts sort by code point, whatever the locale of the database. `date` and `amount` are aliases. */
export const SORT_COLUMNS = {
  id: { sql: 't.id', type: 'bigint' },
  name: { sql: 't.name COLLATE "C"', type: 'text' },
  address: { sql: 't.address COLLATE "C"', type: 'text' },
  basePrice: { sql: 't.base_price', type: 'numeric' },
  maxGuests: { sql: 't.max_guests', type: 'integer' },
  bedrooms: { sql: 't.bedrooms', type: 'integer' },
  bathrooms: { sql: 't.bathrooms', type: 'integer' },
  active: { sql: 't.active', type: 'boolean' },
  createdAt: { sql: 't.created_at', type: 'timestamptz' },
  updatedAt: { sql: 't.updated_at', type: 'timestamptz' },
  date: { sql: 't.created_at', type: 'timestamptz' },
  amount: { sql: 't.base_price', type: 'numeric' },
} satisfies Record<string, SortColumn>;

export type PropertySortField = keyof typeof SORT_COLUMNS;
export const PROPERTY_SORT_FIELDS = Object.keys(SORT_COLUMNS) as PropertySortField[];
