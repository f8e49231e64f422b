import type { SortColumn } from '../database/lists/list-statement.js';
import type { SortKey } from '../http/fields/sort.js';
import { FACETS } from './facets.js';

/** Texts sort by code point, whatever the locale of the database, and so do the values of the facets. */
export const SORT_COLUMNS = {
  id: { sql: 't.id', type: 'bigint' },
  date: { sql: 't.date', type: 'timestamptz' },
  amount: { sql: 't.amount', type: 'numeric' },
  createdAt: { sql: 't.created_at', type: 'timestamptz' },
  updatedAt: { sql: 't.updated_at', type: 'timestamptz' },
  dueDate: { sql: 't.due_date', type: 'timestamptz', nullable: true },
  paidAt: { sql: 't.paid_at', type: 'timestamptz', nullable: true },
  category: { sql: `(t.facets & ${FACETS.category.mask})`, type: 'integer' },
  type: { sql: `(t.facets & ${FACETS.type.mask})`, type: 'integer' },
  status: { sql: `(t.facets & ${FACETS.status.mask})`, type: 'integer' },
  description: { sql: 't.description COLLATE "C"', type: 'text' },
  vendor: { sql: 't.vendor COLLATE "C"', type: 'text', nullable: true },
} satisfies Record<string, SortColumn>;

export type TransactionSortField = keyof typeof SORT_COLUMNS;
export const TRANSACTION_SORT_FIELDS = Object.keys(SORT_COLUMNS) as TransactionSortField[];
export type TransactionSort = readonly SortKey<TransactionSortField>[];
