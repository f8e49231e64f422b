import type { OwnerScope } from '../access/owner-scope.js';
import type { Statement } from '../database/database.js';
import { JsonView } from '../database/json-view.js';
import { type ListStatement, ownedList, preparedName } from '../database/lists/list-statement.js';
import { fieldsOf } from '../http/fields/fields.js';
import { Transaction } from './transaction.entity.js';
import { SUMMARY_FIELDS, TransactionResponse } from './transaction.response.js';
import { SORT_COLUMNS, type TransactionSort } from './transactions.sort.js';

export const TRANSACTION_VIEW = new JsonView(Transaction, fieldsOf(TransactionResponse));
const SUMMARY_VIEW = new JsonView(Transaction, SUMMARY_FIELDS);

/** No account has this id. */
export const NO_OWNER = '0';

/** The number of the owner's transactions. */
export const OWNER_TOTAL: Statement = {
  name: 'transactions.owner_total',
  text: 'SELECT o.transactions FROM owner_totals o WHERE o.owner_id = $1',
};

export function transactionPage(scope: OwnerScope, sort: TransactionSort): ListStatement {
  return ownedList('transactions', SUMMARY_VIEW, scope, sort, SORT_COLUMNS);
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
    ...transactionPage({ ownerId }, sort),
    name: preparedName('transactions.of_property', sort),
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
  const list = transactionPage(scope, sort);
  if (filters.length === 0) return list;
  const values = [...list.values];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const where = [list.where, ...filters.map(({ sql }) => sql(bind))].join(' AND ');
  // The index of the default order answers these filters by itself, whatever their values are, and planning would take
  // longer. The best plan of any other search depends on how rare the values are.
  const isPrepared =
    list.ofOneOwner === true && isDefault(sort) && filters.every(({ name }) => name !== undefined);
  return {
    ...list,
    name: isPrepared ? `transactions.by.${filters.map(({ name }) => name).join('.')}` : undefined,
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
