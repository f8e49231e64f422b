import type { JsonView } from '../json-view.js';

/** Rows of one owner or, for ADMIN, all: two statements, because `$1 IS NULL OR …` would hide the key from the planner. */
export type OwnerScope = { readonly ownerId: string } | 'every-owner';

export type Direction = 'ASC' | 'DESC';

export type SortKey<Field extends string = string> = Readonly<{ field: Field; direction: Direction }>;

/** A list of one table: which rows, in which order, and where their number is known. */
export interface ListStatement {
  readonly table: 'properties' | 'transactions';
  readonly view: JsonView;
  /** A condition over the alias `t`, with `values` as its parameters. */
  readonly where: string;
  /** Called to build the text of a statement, which a prepared one has already. */
  readonly order: () => Order;
  readonly values: readonly unknown[];
  /** Names the prepared statements; none where the best plan depends on the values. */
  readonly name?: string | undefined;
  /** A page may read any number of rows or index entries. */
  readonly isLong?: boolean;
  /** All rows belong to the owner in the first value; otherwise they are every owner's, for an ADMIN. */
  readonly ofOneOwner?: boolean;
  /** The condition is costly, and evaluated once a row: the total counts the rows `found`. */
  readonly expensive?: boolean;
  /** An SQL expression, over the same parameters, for the number of rows in all; of a search, for the most that it may find. */
  readonly total: string;
  /** The same, found by counting: a walk by cursor keeps the total that it began with. */
  readonly counted?: string;
}

/** The sort keys in their order; the id comes last. */
export type Order = readonly {
  /** Of the column in {@link keyColumns}. */
  readonly name: string;
  /** An expression over the alias `t`, never null: a null would be neither before nor after a cursor. */
  readonly sql: string;
  readonly direction: Direction;
}[];

/** Sort field → its expressions over the alias `t`. */
type SortColumns<Field extends string> = Readonly<Record<Field, readonly string[]>>;

/** True of every row. Without it the index of everybody's rows by date cannot be used: no statement of one owner has it. */
const OF_ALL = 't.id <> 0';

/** All rows of a table, of one owner or of every one. The totals are kept by triggers, under the table's name. */
export function ownedList<Field extends string>(
  table: ListStatement['table'],
  view: JsonView,
  scope: OwnerScope,
  keys: readonly SortKey<Field>[],
  columns: SortColumns<Field>,
): ListStatement {
  const ofAll = scope === 'every-owner';
  const total = ofAll
    ? `(SELECT coalesce(sum(o.${table}), 0) FROM owner_totals o)`
    : `coalesce((SELECT o.${table} FROM owner_totals o WHERE o.owner_id = $1), 0)`;
  return {
    table,
    view,
    name: preparedName(`${table}.${ofAll ? 'all' : 'of_owner'}`, keys),
    ofOneOwner: !ofAll,
    where: ofAll ? OF_ALL : 't.owner_id = $1',
    order: () => orderBy(keys, columns),
    total,
    values: ofAll ? [] : [scope.ownerId],
  };
}

/** The name of a list's prepared statement: none for several keys, whose combinations have no bound. */
export function preparedName(prefix: string, [key, ...others]: readonly SortKey[]): string | undefined {
  return key === undefined || others.length > 0 ? undefined : `${prefix}.${key.field}.${key.direction}`;
}

const ID = 't.id';
const IS_ID = /^\(?t\.id\b/; // also as an expression, which no index has

/** The id comes last, in the direction of the others where they share one: an index read backwards gives that order, too. */
function orderBy<Field extends string>(keys: readonly SortKey<Field>[], columns: SortColumns<Field>): Order {
  const terms = keys.flatMap(({ field, direction }) => columns[field].map((sql) => ({ sql, direction })));
  const direction = terms.every((term) => term.direction === 'DESC') ? 'DESC' : 'ASC';
  if (!terms.some(({ sql }) => IS_ID.test(sql))) terms.push({ sql: ID, direction });
  return terms.map((term, index) => ({ ...term, name: IS_ID.test(term.sql) ? 'id' : `key${index}` }));
}

export function orderText(order: Order): string {
  return order.map(({ name, direction }) => `${name} ${direction}`).join(', ');
}

/** The id and the sort keys, as a SELECT lists them. */
export function keyColumns(order: Order): string {
  return order.map(({ sql, name }) => `${sql} AS ${name}`).join(', ');
}

/** The rows of a list, for WITH: computed by themselves, or within the statement. */
export function foundRows({ table, where, expensive = false }: ListStatement, columns: string): string {
  return `found AS ${expensive ? '' : 'NOT '}MATERIALIZED (SELECT ${columns} FROM ${table} t WHERE ${where})`;
}
