import type { SortKey } from '../database/lists/list-statement.js';
import { FACETS } from './transaction.enums.js';

/**
 * Texts sort by code point, whatever the locale of the database, and so do the values of the facets. Rows without a value
 * come last ascending, first descending.
 */
export const TRANSACTION_SORT_COLUMNS = {
  id: ['t.id'],
  date: ['t.date'],
  amount: ['t.amount'],
  createdAt: ['t.created_at'],
  updatedAt: ['t.updated_at'],
  dueDate: ["coalesce(t.due_date, 'infinity')"],
  paidAt: ["coalesce(t.paid_at, 'infinity')"],
  category: [`(t.facets & ${FACETS.category.mask})`],
  type: [`(t.facets & ${FACETS.type.mask})`],
  status: [`(t.facets & ${FACETS.status.mask})`],
  description: ['t.description COLLATE "C"'],
  vendor: ['t.vendor IS NULL', `coalesce(t.vendor, '') COLLATE "C"`],
};

/** Of one owner by id: in the order of the primary key PostgreSQL would go through everybody's entries. */
export const OWNER_ID_COLUMNS = { ...TRANSACTION_SORT_COLUMNS, id: ['(t.id + 0)'] };

export type TransactionSortField = keyof typeof TRANSACTION_SORT_COLUMNS;
export const TRANSACTION_SORT_FIELDS = Object.keys(TRANSACTION_SORT_COLUMNS) as TransactionSortField[];
/** Fields that have an index in their order: an owner's list sorted by one reads no more than its page. */
export const INDEXED: readonly TransactionSortField[] = ['date', 'amount'];
/** Fields that no index has: a list sorted by one reads all rows of its owner. */
export const UNINDEXED: readonly TransactionSortField[] = ['description', 'vendor', 'createdAt', 'updatedAt'];
export type TransactionSort = readonly SortKey<TransactionSortField>[];
