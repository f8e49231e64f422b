import type { OwnerScope } from '../access/owner-scope.js';
import type { Statement } from '../database/database.js';
import { exact, group, instant, JsonView, plain } from '../database/json-view.js';
import { orderBy, type PageQuery, preparedName, type SortColumns } from '../database/page-query.js';
import type { SortKey } from '../http/fields/sort.js';

/** TransactionResponse. */
export const TRANSACTION_VIEW = new JsonView({
  id: exact('id'),
  propertyId: exact('property_id'),
  propertyName: plain('property_name'),
  bookingReference: plain('booking_reference'),
  bookingId: exact('booking_id'),
  type: plain('type'),
  category: plain('category'),
  subcategory: plain('subcategory'),
  description: plain('description'),
  amount: exact('amount'),
  status: plain('status'),
  paymentMethod: plain('payment_method'),
  paymentReference: plain('payment_reference'),
  recurring: plain('recurring'),
  frequency: plain('frequency'),
  vendor: plain('vendor'),
  receiptUrl: plain('receipt_url'),
  notes: plain('notes'),
  taxDetails: group({
    taxable: plain('tax_taxable'),
    taxCategory: plain('tax_category'),
    taxAmount: exact('tax_amount'),
    deductible: plain('tax_deductible'),
    deductionCategory: plain('tax_deduction_category'),
  }),
  refund: group({
    refundAmount: exact('refund_amount'),
    refundDate: instant('refund_date'),
    refundReason: plain('refund_reason'),
    refundReference: plain('refund_reference'),
  }),
  tags: plain('tags'),
  metadata: plain('metadata'),
  approvalStatus: plain('approval_status'),
  approvedBy: plain('approved_by'),
  approvedDate: instant('approved_date'),
  date: instant('date'),
  dueDate: instant('due_date'),
  paidAt: instant('paid_at'),
  createdAt: instant('created_at'),
  updatedAt: instant('updated_at'),
});

/** The element of lists and search results. */
export const SUMMARY_VIEW = new JsonView({
  id: exact('id'),
  propertyId: exact('property_id'),
  propertyName: plain('property_name'),
  type: plain('type'),
  category: plain('category'),
  subcategory: plain('subcategory'),
  description: plain('description'),
  amount: exact('amount'),
  status: plain('status'),
  paymentMethod: plain('payment_method'),
  recurring: plain('recurring'),
  vendor: plain('vendor'),
  date: instant('date'),
  dueDate: instant('due_date'),
  paidAt: instant('paid_at'),
});

/** Texts sort by code point, whatever the locale of the database. */
const SORT_COLUMNS = {
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

export const TRANSACTION_BY_ID: Statement = {
  name: 'transactions.by_id',
  text: `SELECT t.version, ${TRANSACTION_VIEW.json} AS json
           FROM transactions t WHERE t.owner_id = $1 AND t.id = $2`,
};

/** For ADMIN, who acts on the row as its owner does: owner and version in one look, for another may move it meanwhile. */
export const TRANSACTION_PLACE: Statement = {
  name: 'transactions.place',
  text: 'SELECT t.owner_id, t.version FROM transactions t WHERE t.id = $1',
};

/** For ADMIN. */
export const TRANSACTION_OF_ANYBODY: Statement = {
  name: 'transactions.of_anybody',
  text: `SELECT t.version, ${TRANSACTION_VIEW.json} AS json FROM transactions t WHERE t.id = $1`,
};

/** How many transactions the owner has. */
export const OWNER_TOTAL: Statement = {
  name: 'transactions.owner_total',
  text: 'SELECT o.transactions FROM owner_totals o WHERE o.owner_id = $1',
};

export const TRANSACTION_PLACE_OF_OWNER: Statement = {
  name: 'transactions.place_of_owner',
  text: 'SELECT t.owner_id, t.version FROM transactions t WHERE t.owner_id = $1 AND t.id = $2',
};

function listOf(
  scope: OwnerScope,
  sort: TransactionSort,
): Pick<PageQuery, 'table' | 'view' | 'order' | 'where' | 'values'> {
  const list = {
    table: 'transactions',
    view: SUMMARY_VIEW,
    order: orderBy(sort, SORT_COLUMNS),
  };
  return scope === 'every-owner'
    ? { ...list, where: 'true', values: [] }
    : { ...list, where: 't.owner_id = $1', values: [scope.ownerId] };
}

const TOTAL_OF_ALL = '(SELECT coalesce(sum(o.transactions), 0) FROM owner_totals o)';
const TOTAL_OF_OWNER = 'coalesce((SELECT o.transactions FROM owner_totals o WHERE o.owner_id = $1), 0)';

export function transactionPage(scope: OwnerScope, sort: TransactionSort): PageQuery {
  const all = scope === 'every-owner';
  const name = preparedName(all ? 'transactions.all' : 'transactions.of_owner', sort);
  const total = all ? TOTAL_OF_ALL : TOTAL_OF_OWNER;
  return {
    ...listOf(scope, sort),
    ...name,
    inIndexOrder: isDefault(sort),
    total,
  };
}

/** Its total is null when the owner has no such property. */
export function propertyTransactionPage(
  ownerId: string,
  propertyId: string,
  sort: TransactionSort,
): PageQuery {
  const key = 'owner_id = $1 AND property_id = $2';
  return {
    ...listOf({ ownerId }, sort),
    ...preparedName('transactions.of_property', sort),
    inIndexOrder: isDefault(sort),
    where: `t.owner_id = $1 AND t.property_id = $2`,
    total: `(SELECT transactions FROM property_totals WHERE ${key})`,
    values: [ownerId, propertyId],
  };
}

/** One condition of a search; what each means is for `search.ts` to say. */
export interface Filter {
  /** SQL over the alias `t`, given the placeholder of the value. */
  readonly sql: (placeholder: string) => string;
  /** Undefined for a condition without one. */
  readonly value: unknown;
  /** Of the filters that may be part of a prepared statement. */
  readonly name?: string;
}

/** A list of what the filters leave. */
export function filteredPage(
  scope: OwnerScope,
  sort: TransactionSort,
  filters: readonly Filter[],
): PageQuery {
  if (filters.length === 0) return transactionPage(scope, sort);
  const list = listOf(scope, sort);
  const values = [...list.values];
  const terms = filters.map(({ sql, value }) => sql(value === undefined ? '' : `$${values.push(value)}`));
  const where = [list.where, ...terms].join(' AND ');
  return {
    ...list,
    ...preparedFilters(scope, sort, filters),
    where,
    total: `(SELECT count(*) FROM transactions t WHERE ${where})`,
    values,
  };
}

/**
 * What one index answers in the default order, whatever the values are: a period, or type and status with or without
 * one. Such a search is prepared; any other is planned anew, for its best plan depends on how rare the values are.
 */
const ONE_PLAN_FITS_ALL = /^(from )?(to )?(type status )?$/;

function preparedFilters(
  scope: OwnerScope,
  sort: TransactionSort,
  filters: readonly Filter[],
): Pick<PageQuery, 'name' | 'inIndexOrder'> {
  const names = filters.map(({ name }) => `${name ?? '?'} `).join('');
  if (scope === 'every-owner' || !isDefault(sort) || !ONE_PLAN_FITS_ALL.test(names)) return {};
  return {
    name: `transactions.of_owner.with.${names.trimEnd()}`,
    inIndexOrder: true,
  };
}

function isDefault([key, ...others]: TransactionSort): boolean {
  return key?.field === 'date' && key.direction === 'DESC' && others.length === 0;
}
