import type { SortColumns } from '../database/page-query.js';
import type { SortKey } from '../http/fields/sort.js';

/** Texts sort by code point, whatever the locale of the database. */
export const SORT_COLUMNS = {
  id: 't.id',
  date: 't.date',
  amount: 't.amount',
  createdAt: 't.created_at',
  updatedAt: 't.updated_at',
  dueDate: 't.due_date',
  paidAt: 't.paid_at',
  category: 't.category COLLATE "C"',
  type: 't.type COLLATE "C"',
  status: 't.status COLLATE "C"',
  description: 't.description COLLATE "C"',
  vendor: 't.vendor COLLATE "C"',
} satisfies SortColumns<string>;

export type TransactionSortField = keyof typeof SORT_COLUMNS;
export const TRANSACTION_SORT_FIELDS = Object.keys(SORT_COLUMNS) as TransactionSortField[];
export type TransactionSort = readonly SortKey<TransactionSortField>[];
