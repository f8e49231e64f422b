import type { BoundStatement, Statement } from '../database.js';
import type { Mark } from './cursor.js';
import {
  keyColumns,
  type ListStatement,
  type Order,
  orderOfKeys,
  orderText,
  type SortTerm,
} from './list-statement.js';

/** A page by its number, or the one behind a mark. */
export interface PagePlace {
  readonly page: number;
  readonly size: number;
  readonly after?: Mark | undefined;
}

/** What the statement for a page returns. */
export interface PageRow {
  /** The elements on all pages; null when what the list belongs to is not there. */
  readonly total: string | null;
  /** The elements as JSON text, separated by commas. */
  readonly content: string;
  /** Whether more rows follow. */
  readonly more: boolean;
  /** Of the last row of a full page. */
  readonly position: readonly string[] | null;
}

/** The statement for one page of a list, with its values. */
export function pageStatement(list: ListStatement, { page, size, after }: PagePlace): BoundStatement {
  const values = [...list.values, size];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  let statement: Statement;
  if (after !== undefined) {
    const position = after.position.map(bind);
    const total = list.counted === true ? bind(after.total) : list.total;
    statement = named(list, 'after', pageText(list, { position, total }));
  } else if (page === 0) statement = named(list, 'first', pageText(list, {}));
  else statement = named(list, 'any', pageText(list, { offset: `OFFSET ${bind(page * size)}` }));
  return { statement, values };
}

function named({ name }: ListStatement, page: 'first' | 'any' | 'after', text: string): Statement {
  return name === undefined ? { text } : { name: `${name}.${page}`, text };
}

interface PageOptions {
  readonly offset?: string;
  /** The placeholders of the sort keys behind which the page begins. */
  readonly position?: readonly string[];
  readonly total?: string;
}

/**
 * Finds the keys of the page, and of one row more, by an index alone where there is one; only then are the rows looked
 * up. An OFFSET then steps over index entries, not over rows.
 */
function pageText(list: ListStatement, { offset = '', position, total }: PageOptions): string {
  const { table, where, order, expensive = false } = list;
  const size = sizeOf(list);
  const rows = `SELECT ${keyColumns(order)} FROM ${table} t WHERE ${where}`;
  const keys = expensive ? orderOfKeys(order, 't') : order;
  const behind = position === undefined ? 'true' : conditionAfter(keys, position);
  const found = expensive ? `SELECT t.* FROM found t WHERE ${behind}` : `${rows} AND ${behind}`;
  const last = orderOfKeys(order, 'k').map(({ sql }) => `${sql}::text`);
  return `WITH ${expensive ? `found AS MATERIALIZED (${rows}), ` : ''}
      k AS MATERIALIZED (${found} ORDER BY ${orderText(keys)} LIMIT ${size} + 1 ${offset})
    SELECT (${total ?? (expensive ? 'SELECT count(*) FROM found' : list.total)})::bigint AS total,
           (SELECT coalesce(string_agg(r.json, ','), '') FROM (${rowsByKey(list)}) r) AS content,
           (SELECT count(*) > ${size} FROM k) AS more,
           (SELECT ARRAY[${last.join(', ')}] FROM k LIMIT 1 OFFSET ${size} - 1) AS position`;
}

/**
 * The look-up of an owner's row is a scalar subquery, which no estimate can turn into a join of the table; it names the
 * owner by parameter, so that where owners are on several servers one of them can answer all of it. Of all owners there,
 * a subquery cannot refer to a row outside of it; and an array is taken for a few elements.
 */
function rowsByKey(list: ListStatement): string {
  const { table, order, view, ofOneOwner = false } = list;
  const page = `FROM k LIMIT ${sizeOf(list)}`;
  if (ofOneOwner)
    return `SELECT (SELECT ${view.json} FROM ${table} t WHERE t.owner_id = $1 AND t.id = k.id) AS json ${page}`;
  return `SELECT ${view.json} AS json FROM ${table} t WHERE t.id = ANY (ARRAY(SELECT k.id ${page}))
    ORDER BY ${orderText(order)} LIMIT ${sizeOf(list)}`;
}

function sizeOf({ values }: ListStatement): string {
  return `$${values.length + 1}::bigint`;
}

/**
 * The rows behind these values, key by key. Of one direction they are compared as rows, which an index answers from where
 * the page begins; else the first key alone says where that is.
 */
function conditionAfter(order: Order, values: readonly string[]): string {
  const [first] = order;
  if (order.some(({ direction }) => direction !== first?.direction))
    return `${first?.sql} ${isAfter(first)}= ${values[0]} AND ${after(order, values)}`;
  return `(${order.map(({ sql }) => sql).join(', ')}) ${isAfter(first)} (${values.join(', ')})`;
}

function after([first, ...others]: Order, [value, ...rest]: readonly string[]): string {
  if (first === undefined) return 'false';
  return `(${first.sql} ${isAfter(first)} ${value} OR ${first.sql} = ${value} AND ${after(others, rest)})`;
}

function isAfter(term: SortTerm | undefined): '>' | '<' {
  return term?.direction === 'DESC' ? '<' : '>';
}
