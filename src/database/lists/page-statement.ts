import type { BoundStatement } from '../database.js';
import { keyColumns, type ListStatement, type Order, orderOfKeys, orderText } from './list-statement.js';

/** How far a walk through a list has come. */
export interface Cursor {
  /** The pages that have been read. */
  readonly page: number;
  /** The elements on all pages, as the first page had it. */
  readonly total: number;
  /** The sort keys of the last row that was read, as text. */
  readonly position: readonly string[];
}

/** A page by its number, or the one behind a cursor. */
interface PagePlace {
  readonly page: number;
  readonly size: number;
  readonly after?: Cursor | undefined;
}

/** The row that the statement for a page returns. */
export interface PageRow {
  /** The elements on all pages; null when the property that they belong to is missing. */
  readonly total: string | null;
  /** The elements as JSON text, separated by commas. */
  readonly content: string;
  /** Whether more rows follow. */
  readonly more: boolean;
  /** Of the last row of a full page. */
  readonly position: readonly string[] | null;
}

/**
 * The statement for one page of a list, with its values. It finds the keys of the page, and of one row more, by an index
 * alone where there is one; only then are the rows looked up. An OFFSET then steps over index entries, not over rows.
 */
export function pageStatement(list: ListStatement, { page, size, after }: PagePlace): BoundStatement {
  const { table, where, order, expensive = false } = list;
  const values = [...list.values, size];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const limit = `$${values.length}::bigint`;

  const rows = `SELECT ${keyColumns(order)} FROM ${table} t WHERE ${where}`;
  const keys = expensive ? orderOfKeys(order, 't') : order;
  const behind = after === undefined ? 'true' : conditionAfter(keys, after.position.map(bind));
  const offset = after !== undefined || page === 0 ? '' : `OFFSET ${bind(page * size)}`;
  const found = expensive ? `SELECT t.* FROM found t WHERE ${behind}` : `${rows} AND ${behind}`;
  const number = expensive ? 'SELECT count(*) FROM found' : list.total;
  const total = after !== undefined && list.counted === true ? bind(after.total) : number;
  const last = orderOfKeys(order, 'k').map(({ sql }) => `${sql}::text`);
  const text = `WITH ${expensive ? `found AS MATERIALIZED (${rows}), ` : ''}
      k AS MATERIALIZED (${found} ORDER BY ${orderText(keys)} LIMIT ${limit} + 1 ${offset})
    SELECT (${total})::bigint AS total,
           (SELECT coalesce(string_agg(r.json, ','), '') FROM (${rowsByKey(list, limit)}) r) AS content,
           (SELECT count(*) > ${limit} FROM k) AS more,
           (SELECT ARRAY[${last.join(', ')}] FROM k LIMIT 1 OFFSET ${limit} - 1) AS position`;
  const kind = after !== undefined ? 'after' : page === 0 ? 'first' : 'any';
  return { statement: { name: list.name && `${list.name}.${kind}`, text }, values };
}

/**
 * The look-up of an owner's row is a scalar subquery, which no estimate can turn into a join of the table; it names the
 * owner by parameter, so that where owners are on several servers one of them can answer all of it. Of all owners there,
 * a subquery cannot refer to a row outside of it; and an array is taken for a few elements.
 */
function rowsByKey({ table, order, view, ofOneOwner = false }: ListStatement, limit: string): string {
  const page = `FROM k LIMIT ${limit}`;
  if (ofOneOwner)
    return `SELECT (SELECT ${view.json} FROM ${table} t WHERE t.owner_id = $1 AND t.id = k.id) AS json ${page}`;
  return `SELECT ${view.json} AS json FROM ${table} t WHERE t.id = ANY (ARRAY(SELECT k.id ${page}))
    ORDER BY ${orderText(order)} LIMIT ${limit}`;
}

/**
 * The rows behind these values, key by key. Of one direction they are compared as rows, which an index answers from where
 * the page begins; else the first key alone says where that is.
 */
function conditionAfter(order: Order, values: readonly string[]): string {
  const operators = order.map(({ direction }) => (direction === 'DESC' ? '<' : '>'));
  const [first] = operators;
  if (operators.every((operator) => operator === first))
    return `(${order.map(({ sql }) => sql).join(', ')}) ${first} (${values.join(', ')})`;
  const after = order.reduceRight(
    (others, { sql }, index) =>
      `(${sql} ${operators[index]} ${values[index]} OR ${sql} = ${values[index]} AND ${others})`,
    'false',
  );
  return `${order[0]?.sql} ${first}= ${values[0]} AND ${after}`;
}
