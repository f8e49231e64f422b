import type { Position } from '../http/fields/cursors.js';
import { keysAfter } from './keys-after.js';
import type { ListStatement } from './list-statement.js';
import { type KeyQuery, keysOf, namedKeys, orderText, type PageDepth, rangeOf } from './page-keys.js';

/** The text of a statement for any page of a list, or for the first. */
export function pageText(query: ListStatement, depth: PageDepth): string {
  if (query.expensive === true) {
    const keys = keysOf(amongFound(query), depth);
    const total = '(SELECT count(*) FROM found)';
    return textOf(query, { before: [foundIn(query)], total, page: pageOf(query, rowsByKey(query, keys)) });
  }
  if (depth === 'first' && query.inIndexOrder === 'rows') return carryingText(query, rowsInOrder(query));
  const keys = keysOf(query, depth);
  if (query.ofOneOwner === true && query.ties === undefined)
    return carryingText(query, rowsByKey(query, keys, carriedKeys(query)));
  return textOf(query, { total: query.total, page: pageOf(query, rowsByKey(query, keys)) });
}

/** As {@link pageText}, of the page behind a position. One row more is looked for, which tells whether another follows. */
export function pageTextAfter(query: ListStatement, position: Position, total: string): string {
  const { expensive = false } = query;
  const ahead = `ahead AS MATERIALIZED (${keysAfter(expensive ? amongFound(query) : query, position)})`;
  const size = sizeOf(query);
  const keys = `SELECT a.id FROM ahead a LIMIT ${size}`;
  return textOf(query, {
    before: expensive ? [foundIn(query), ahead] : [ahead],
    total,
    page: pageOf(query, rowsByKey(query, keys)),
    more: `(SELECT count(*) > ${size} FROM ahead)`,
  });
}

interface PageParts {
  /** Of the WITH, before the page itself. */
  readonly before?: readonly string[];
  readonly total: string;
  readonly page: string;
  readonly more?: string;
}

/**
 * The page of rows that have their sort keys with them. To look up those of the last row once more takes as long to run, but
 * is a further table to plan, wherever PostgreSQL plans the statement each time: 65 µs in place of 15.
 */
function carryingText(query: ListStatement, rows: string): string {
  const size = sizeOf(query);
  const keys = namedKeys(query.order).map(({ name }) => `(array_agg(r.${name}))[${size}::integer]::text`);
  return `SELECT (${query.total})::bigint AS total, coalesce(string_agg(r.json, ','), '') AS content,
      CASE WHEN count(*) = ${size} THEN ARRAY[${keys.join(', ')}] END AS position FROM (${rows}) r`;
}

/** With the sort keys of the page's last row, looked up once more. */
function textOf(query: ListStatement, { before = [], total, page, more }: PageParts): string {
  const { table, order, ofOneOwner } = query;
  const keys = order.map(({ sql }) => `(${sql})::text`).join(', ');
  const owner = ofOneOwner === true ? 't.owner_id = $1 AND' : '';
  const position = `SELECT ARRAY[${keys}] FROM ${table} t WHERE ${owner} t.id = (SELECT p.last_id FROM page p)`;
  return `WITH ${[...before, `page AS MATERIALIZED (${page})`].join(', ')}
    SELECT (${total})::bigint AS total, p.content,
           ${more === undefined ? '' : `${more} AS more, `}(${position}) AS position FROM page p`;
}

function sizeOf({ values }: KeyQuery): string {
  return `$${values.length + 1}`;
}

/** The id of the row that fills the page, of rows with the alias `r`. */
function lastOf(query: KeyQuery): string {
  return `(array_agg(r.id))[${sizeOf(query)}::integer] AS last_id`;
}

function pageOf(query: ListStatement, rows: string): string {
  return `SELECT coalesce(string_agg(r.json, ','), '') AS content, ${lastOf(query)} FROM (${rows}) r`;
}

/** Without an OFFSET PostgreSQL knows what the page costs, and plans a prepared statement only once. */
function rowsInOrder(query: ListStatement): string {
  const { table, where, order, view } = query;
  return view.eachWithKeysFrom(`FROM ${table} t WHERE ${where} ${pageOrder(query)}`, namedKeys(order));
}

/** The order of the page, where no row has to be passed over. */
function pageOrder(query: ListStatement): string {
  return `ORDER BY ${orderText(query.order)} ${rangeOf(query, 'first')}`;
}

/**
 * Finds the keys of the page by an index alone and only then looks up those rows: OFFSET then steps over index
 * entries, not over rows. The look-up is a scalar subquery, which no estimate can turn into a join of the table; it
 * names the owner by parameter, so that where owners are on several servers one of them can answer all of it.
 */
function rowsByKey(query: ListStatement, keys: string, columns = 'k.id'): string {
  const { table, view, ofOneOwner } = query;
  if (ofOneOwner !== true) return view.eachFrom(fromKeys(query, `SELECT k.id FROM (${keys}) k`));
  const json = view.jsonFrom(`FROM ${table} t WHERE t.owner_id = $1 AND t.id = k.id`);
  return `SELECT ${json} AS json, ${columns} FROM (${keys}) k`;
}

function carriedKeys({ order }: KeyQuery): string {
  return namedKeys(order)
    .map(({ name }) => `k.${name}`)
    .join(', ');
}

/**
 * The rows of all owners with these ids. Where owners are on several servers, a subquery cannot refer to a row outside of
 * it; and an array is taken for a few elements, so that no estimate turns it into a join of the table either.
 */
function fromKeys(query: ListStatement, ids: string): string {
  return `FROM ${query.table} t WHERE t.id = ANY (ARRAY(${ids})) ${pageOrder(query)}`;
}

/** All that is found, so that it is counted and sorted with one look at each row. */
function foundIn({ table, where, order }: KeyQuery): string {
  const columns = order.map(({ sql }, index) => `${sql} AS key${index}`).join(', ');
  return `found AS MATERIALIZED (SELECT t.id, ${columns} FROM ${table} t WHERE ${where})`;
}

function amongFound({ order, values }: KeyQuery): KeyQuery {
  const keys = order.map((term, index) => ({ ...term, sql: `t.key${index}` }));
  return { table: 'found', where: 'true', order: keys, values };
}
