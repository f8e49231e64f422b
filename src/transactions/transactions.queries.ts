import type { OwnerScope } from '../access/owner-scope.js';
import type { Statement } from '../database/database.js';
import { JsonView } from '../database/json-view.js';
import { orderBy, type PageQuery, preparedName } from '../database/page-query.js';
import { fieldsOf } from '../http/fields/fields.js';
import { Transaction } from './transaction.entity.js';
import { SUMMARY_FIELDS, TransactionResponse } from './transaction.response.js';
import { SORT_COLUMNS, type TransactionSort } from './transactions.sort.js';

export const TRANSACTION_VIEW = JsonView.of(Transaction, fieldsOf(TransactionResponse.prototype));
const SUMMARY_VIEW = JsonView.of(Transaction, SUMMARY_FIELDS);

/** How many transactions the owner has. */
export const OWNER_TOTAL: Statement = {
  name: 'transactions.owner_total',
  text: 'SELECT o.transactions FROM owner_totals o WHERE o.owner_id = $1',
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

/** Its total is null when the owner has no such property; a property that has lost its total is counted. */
export function propertyTransactionPage(
  ownerId: string,
  propertyId: string,
  sort: TransactionSort,
): PageQuery {
  const kept = 'SELECT k.transactions FROM property_totals k WHERE k.owner_id = $1 AND k.property_id = $2';
  const counted = 'SELECT count(*) FROM transactions t WHERE t.owner_id = $1 AND t.property_id = $2';
  return {
    ...listOf({ ownerId }, sort),
    ...preparedName('transactions.of_property', sort),
    inIndexOrder: isDefault(sort),
    where: `t.owner_id = $1 AND t.property_id = $2`,
    total: `coalesce((${kept}), (SELECT (${counted}) FROM properties p WHERE p.owner_id = $1 AND p.id = $2))`,
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
