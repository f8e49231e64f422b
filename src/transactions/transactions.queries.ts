import type { OwnerScope } from '../access/owner-scope.js';
import type { Statement } from '../database/database.js';
import { JsonView } from '../database/json-view.js';
import { orderBy, type ListStatement, preparedName } from '../database/lists/list-statement.js';
import { fieldsOf } from '../http/fields/fields.js';
import { Transaction } from './transaction.entity.js';
import { SUMMARY_FIELDS, TransactionResponse } from './transaction.response.js';
import { SORT_COLUMNS, type TransactionSort } from './transactions.sort.js';

export const TRANSACTION_VIEW = JsonView.of(Transaction, fieldsOf(TransactionResponse));
const SUMMARY_VIEW = JsonView.of(Transaction, SUMMARY_FIELDS);

/** No account has this id. */
export const NO_OWNER = '0';

/** How many transactions the owner has. */
export const OWNER_TOTAL: Statement = {
  name: 'transactions.owner_total',
  text: 'SELECT o.transactions FROM owner_totals o WHERE o.owner_id = $1',
};

function listOf(
  scope: OwnerScope,
  sort: TransactionSort,
): Pick<ListStatement, 'table' | 'view' | 'order' | 'where' | 'values' | 'ofOneOwner'> {
  const list = {
    table: 'transactions',
    view: SUMMARY_VIEW,
    order: orderBy(sort, SORT_COLUMNS),
  };
  return scope === 'every-owner'
    ? { ...list, where: 'true', values: [] }
    : { ...list, ofOneOwner: true, where: 't.owner_id = $1', values: [scope.ownerId] };
}

const TOTAL_OF_ALL = '(SELECT coalesce(sum(o.transactions), 0) FROM owner_totals o)';
const TOTAL_OF_OWNER = 'coalesce((SELECT o.transactions FROM owner_totals o WHERE o.owner_id = $1), 0)';

export function transactionPage(scope: OwnerScope, sort: TransactionSort): ListStatement {
  const all = scope === 'every-owner';
  const name = preparedName(all ? 'transactions.all' : 'transactions.of_owner', sort);
  const total = all ? TOTAL_OF_ALL : TOTAL_OF_OWNER;
  return {
    ...listOf(scope, sort),
    ...name,
    total,
  };
}

/**
 * As the index by date has it. The one on the property itself, for the foreign key, is the wrong one: PostgreSQL takes
 * 20 rows of an owner's 200,000 for as many as the one property has, and would read them all to sort them.
 */
export const PROPERTY_OF_ENTRY = '(t.property_id + 0)';

/** Its total is null when the owner has no such property; a property that has lost its total is counted. */
export function propertyTransactionPage(
  ownerId: string,
  propertyId: string,
  sort: TransactionSort,
): ListStatement {
  const kept = 'SELECT k.transactions FROM property_totals k WHERE k.owner_id = $1 AND k.property_id = $2';
  const counted = 'SELECT count(*) FROM transactions t WHERE t.owner_id = $1 AND t.property_id = $2';
  return {
    ...listOf({ ownerId }, sort),
    ...preparedName('transactions.of_property', sort),
    where: `t.owner_id = $1 AND ${PROPERTY_OF_ENTRY} = $2`,
    total: `coalesce((${kept}), (SELECT (${counted}) FROM properties p WHERE p.owner_id = $1 AND p.id = $2))`,
    values: [ownerId, propertyId],
  };
}

/** One condition of a search; what each means is for `search.ts` to say. */
export interface Filter {
  /** SQL over the alias `t`; `bind` takes a value and returns its placeholder. */
  readonly sql: (bind: (value: unknown) => string) => string;
  /** Of the filters that may be part of a prepared statement. */
  readonly name?: string;
  /** It takes longer to evaluate than the row takes to find. */
  readonly expensive?: boolean;
}

/** A list of what the filters leave. */
export function filteredPage(
  scope: OwnerScope,
  sort: TransactionSort,
  filters: readonly Filter[],
): ListStatement {
  if (filters.length === 0) return transactionPage(scope, sort);
  const list = listOf(scope, sort);
  const values = [...list.values];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const where = [list.where, ...filters.map(({ sql }) => sql(bind))].join(' AND ');
  return {
    ...list,
    ...preparedFilters(scope, sort, filters),
    where,
    total: `(SELECT count(*) FROM transactions t WHERE ${where})`,
    counted: true,
    expensive: filters.some(({ expensive }) => expensive === true),
    values,
  };
}

/**
 * What the index of the default order answers by itself, whatever the values are, is prepared: planning takes longer
 * than searching. Any other search is planned anew, because its best plan depends on how rare the values are.
 */
function preparedFilters(
  scope: OwnerScope,
  sort: TransactionSort,
  filters: readonly Filter[],
): Pick<ListStatement, 'name'> {
  if (scope === 'every-owner' || !isDefault(sort) || filters.some(({ name }) => name === undefined))
    return {};
  return { name: `transactions.by.${filters.map(({ name }) => name).join('.')}` };
}

function isDefault([key, ...others]: TransactionSort): boolean {
  return key?.field === 'date' && key.direction === 'DESC' && others.length === 0;
}
