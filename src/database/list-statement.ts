import type { SortKey } from '../http/fields/sort.js';
import type { JsonView } from './json-view.js';
import type { KeyQuery, Order } from './page-keys.js';

/** A list of one table: which rows, in which order, and where their number is known. */
export interface ListStatement extends KeyQuery {
  /** Names the prepared statement; none for one whose best plan depends on its values. */
  readonly name?: string;
  readonly view: JsonView;
  /** All rows are of the owner whose id is the first value. Otherwise they are of all owners, for an ADMIN. */
  readonly ofOneOwner?: boolean;
  /** The condition is evaluated only once for each row: the rows are counted as they are found. */
  readonly expensive?: boolean;
  /**
   * An index gives just this order, so that the first page reads no more than it shows: its `rows`, or its `keys` when the
   * condition, too, is to be answered by the index alone.
   */
  readonly inIndexOrder?: 'rows' | 'keys';
  /** An SQL expression, over the same parameters, for the number of rows in all. */
  readonly total: string;
  /** That number is found by counting, so that a walk by cursor keeps the one that it began with. */
  readonly counted?: boolean;
}

/** Sort field → the SQL it sorts by, over the alias `t`. */
export type SortColumns<Field extends string> = Readonly<Record<Field, string>>;

/**
 * The id always comes last, so that no two rows ever tie; in the direction of the other keys, where they have one, so
 * that an index that is read backwards gives just the opposite order.
 */
export function orderBy<Field extends string>(
  keys: readonly SortKey<Field>[],
  columns: SortColumns<Field>,
  nullable: ReadonlySet<Field> = new Set(),
): Order {
  const order = keys.map(({ field, direction }) => ({
    ...{ sql: columns[field], direction },
    nullable: nullable.has(field),
  }));
  if (keys.some(({ field }) => field === 'id')) return order;
  const descending = order.every(({ direction }) => direction === 'DESC');
  return [...order, { sql: 't.id', direction: descending ? 'DESC' : 'ASC' }];
}

/** The name of a list's prepared statement: none for several keys, because there would be any number of statements. */
export function preparedName(prefix: string, keys: readonly SortKey[]): Pick<ListStatement, 'name'> {
  const [key, ...others] = keys;
  return key === undefined || others.length > 0 ? {} : { name: `${prefix}.${key.field}.${key.direction}` };
}
