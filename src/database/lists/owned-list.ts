import type { OwnerScope } from '../../access/owner-scope.js';
import type { SortKey } from '../../http/fields/sort.js';
import type { JsonView } from '../json-view.js';
import { type ListStatement, orderBy } from './list-statement.js';

/** All rows of a table, of one owner or of every one. The totals are kept by triggers, under the table's name. */
export function ownedList<Field extends string>(
  table: 'properties' | 'transactions',
  view: JsonView,
  scope: OwnerScope,
  keys: readonly SortKey<Field>[],
  columns: Readonly<Record<Field, readonly string[]>>,
): ListStatement {
  const list = { table, view, order: orderBy(keys, columns) };
  if (scope === 'every-owner')
    return {
      ...list,
      where: 'true',
      total: `(SELECT coalesce(sum(o.${table}), 0) FROM owner_totals o)`,
      values: [],
    };
  return {
    ...list,
    ofOneOwner: true,
    where: 't.owner_id = $1',
    total: `coalesce((SELECT o.${table} FROM owner_totals o WHERE o.owner_id = $1), 0)`,
    values: [scope.ownerId],
  };
}
