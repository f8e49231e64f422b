import { orderBy, type SortColumns } from '../database/list-statement.js';
import type { KeyQuery } from '../database/page-keys.js';
import type { SortKey } from '../http/fields/sort.js';
import { FACETS } from './facets.js';

/** Texts sort by code point, whatever the locale of the database, and so do the values of the facets. */
export const SORT_COLUMNS = {
  id: 't.id',
  date: 't.date',
  amount: 't.amount',
  createdAt: 't.created_at',
  updatedAt: 't.updated_at',
  dueDate: 't.due_date',
  paidAt: 't.paid_at',
  category: `(t.facets & ${FACETS.category.mask})`,
  type: `(t.facets & ${FACETS.type.mask})`,
  status: `(t.facets & ${FACETS.status.mask})`,
  description: 't.description COLLATE "C"',
  vendor: 't.vendor COLLATE "C"',
} satisfies SortColumns<string>;

export type TransactionSortField = keyof typeof SORT_COLUMNS;
export const TRANSACTION_SORT_FIELDS = Object.keys(SORT_COLUMNS) as TransactionSortField[];
export type TransactionSort = readonly SortKey<TransactionSortField>[];

/** Fields that a transaction may have no value of. */
export const NULLABLE: ReadonlySet<TransactionSortField> = new Set(['dueDate', 'paidAt', 'vendor'] as const);

/** Fields in which very many of an owner's rows tie. */
export const TIES: ReadonlyMap<TransactionSortField, 'values' | 'nulls'> = new Map([
  ['category', 'values'],
  ['type', 'values'],
  ['status', 'values'],
  ['dueDate', 'nulls'],
  ['paidAt', 'nulls'],
] as const);

/** Entries are mostly recorded in the order of their dates, which an index has; it is read forwards, the latest first. */
export function nearlyByDate([key, ...others]: TransactionSort): Pick<KeyQuery, 'nearly'> {
  const isNear = key?.field === 'createdAt' || key?.field === 'updatedAt';
  if (!isNear || key.direction === 'DESC' || others.length > 0) return {};
  return { nearly: orderBy([{ field: 'date', direction: 'ASC' }], SORT_COLUMNS) };
}
