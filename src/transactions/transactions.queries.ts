import type { OwnerScope } from '../access/owner-scope.js';
import type { Statement } from '../database/database.js';
import { JsonView } from '../database/json-view.js';
import { type ListStatement, preparedName } from '../database/lists/list-statement.js';
import { ownedList } from '../database/lists/owned-list.js';
import { fieldsOf } from '../http/fields/fields.js';
import { Transaction } from './transaction.entity.js';
import { SUMMARY_FIELDS, TransactionResponse } from './transaction.response.js';
import { SORT_COLUMNS, type TransactionSort } from './transactions.sort.js';

export const TRANSACTION_VIEW = JsonView.of(Transaction, fieldsOf(TransactionResponse));
const SUMMARY_VIEW = JsonView.of(Transaction, SUMMARY_FIELDS);

/** No account has this id. */
export const NO_OWNER = '0';

/** The number of the owner's transactions. */
export const OWNER_TOTAL: Statement = {
  name: 'transactions.owner_total',
  text: 'SELECT o.transactions FROM owner_totals o WHERE o.owner_id = $1',
};

function rowsOf(scope: OwnerScope, sort: TransactionSort): ListStatement {
  return ownedList('transactions', SUMMARY_VIEW, scope, sort, SORT_COLUMNS);
}

export function transactionPage(scope: OwnerScope, sort: TransactionSort): ListStatement {
  const name = scope === 'every-owner' ? 'transactions.all' : 'transactions.of_owner';
  return { ...rowsOf(scope, sort), ...preparedName(name, sort) };
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
    ...rowsOf({ ownerId }, sort),
    ...preparedName('transactions.of_property', sort),
    where: `t.owner_id = $1 AND ${PROPERTY_OF_ENTRY} = $2`,
    total: `coalesce((${kept}), (SELECT (${counted}) FROM properties p WHERE p.owner_id = $1 AND p.id = $2))`,
    values: [ownerId, propertyId],
  };
}

/** One condition of a search; `search.ts` makes them. */
export interface Filter {
  /** SQL over the alias `t`; `bind` takes a value and returns its placeholder. */
  readonly sql: (bind: (value: unknown) => string) => string;
  /** For filters that may be part of a prepared statement. */
  readonly name?: string;
  /** It takes longer to evaluate than the row takes to find. */
  readonly expensive?: boolean;
}

/** The transactions that meet all filters. */
export function filteredPage(
  scope: OwnerScope,
  sort: TransactionSort,
  filters: readonly Filter[],
): ListStatement {
  if (filters.length === 0) return transactionPage(scope, sort);
  const list = rowsOf(scope, sort);
  const values = [...list.values];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const where = [list.where, ...filters.map(({ sql }) => sql(bind))].join(' AND ');
  // The index of the default order answers these filters by itself, whatever their values are, and planning would take
  // longer. The best plan of any other search depends on how rare the values are.
  const isPrepared =
    list.ofOneOwner === true && isDefault(sort) && filters.every(({ name }) => name !== undefined);
  return {
    ...list,
    ...(isPrepared ? { name: `transactions.by.${filters.map(({ name }) => name).join('.')}` } : {}),
    where,
    total: `(SELECT count(*) FROM transactions t WHERE ${where})`,
    counted: true,
    expensive: filters.some(({ expensive }) => expensive === true),
    values,
  };
}

function isDefault([key, ...others]: TransactionSort): boolean {
  return key?.field === 'date' && key.direction === 'DESC' && others.length === 0;
}
