import type { PageRequest, PageRows } from '../http/fields/page.js';
import type { SortKey } from '../http/fields/sort.js';
import type { Database, Statement } from './database.js';
import type { JsonView } from './json-view.js';
import { keysOf, type KeyQuery, type Order, orderText, type PageDepth, rangeOf } from './page-keys.js';

/** A list of one table: which rows, in which order, and where their number is known. */
export interface ListStatement extends KeyQuery {
  /** Names the prepared statement; none for one whose best plan depends on its values. */
  readonly name?: string;
  readonly view: JsonView;
  /** All rows are of the owner whose id is the first value. Otherwise they are of all owners, for an ADMIN. */
  readonly ofOneOwner?: boolean;
  /** The condition takes so long that it is to be looked at once a row: the rows are counted as they are found. */
  readonly dear?: boolean;
  /**
   * An index gives just this order, so that the first page reads no more than it shows: its `rows`, or its `keys` when the
   * condition, too, is to be answered by the index alone.
   */
  readonly inIndexOrder?: 'rows' | 'keys';
  /** An SQL expression, over the same parameters, for the number of rows in all. */
  readonly total: string;
  /** An SQL expression over `t`: the octets of a row's texts that may be too long to read a page of them at once. */
  readonly weight?: string;
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
): Order {
  const order = keys.map(({ field, direction }) => ({ sql: columns[field], direction }));
  if (keys.some(({ field }) => field === 'id')) return order;
  const descending = order.every(({ direction }) => direction === 'DESC');
  return [...order, { sql: 't.id', direction: descending ? 'DESC' : 'ASC' }];
}

/** The name of a list's prepared statement: none for several keys, because there would be any number of statements. */
export function preparedName(prefix: string, keys: readonly SortKey[]): Pick<ListStatement, 'name'> {
  const [key, ...others] = keys;
  return key === undefined || others.length > 0 ? {} : { name: `${prefix}.${key.field}.${key.direction}` };
}

/** The octets of long texts that are read at once, unless one row alone has more. */
export const PART_WEIGHT = 128 * 1024;

/** Rows too long to be read at once: owner, id and the octets of their long texts. */
export type HeavyRows = readonly (readonly [ownerId: string, id: string, weight: number])[];

export interface QueriedPage extends PageRows {
  /** In place of the content, where that is too long to be read at once. */
  readonly heavyRows?: HeavyRows;
}

/** Runs a list. Undefined when `total` is null, that is, when what the list belongs to is not there. */
export async function queryPage(
  database: Database,
  query: ListStatement,
  request: PageRequest,
): Promise<QueriedPage | undefined> {
  const { statement, values } = pageStatement(query, request);
  const [row] = await (query.ofOneOwner === true
    ? database.read<PageRow>(statement, values)
    : database.readLagging<PageRow>(statement, values));
  if (row?.total == null) return undefined;
  const rows = { content: row.content, total: Number(row.total) };
  return row.heavy_rows == null ? rows : { ...rows, heavyRows: JSON.parse(row.heavy_rows) as HeavyRows };
}

interface PageRow {
  readonly total: string | null;
  readonly content: string;
  readonly heavy_rows?: string | null;
}

/** So many rows to pass over that planning takes little time beside it, and that the best plan depends on them. */
const DEEP = 10_000;

/** The statement for one page of a list, with its values. */
export function pageStatement(
  query: ListStatement,
  { page, size }: PageRequest,
): { statement: Statement; values: unknown[] } {
  if (page === 0 && query.inIndexOrder !== undefined)
    return { statement: statementFor(query, 'first'), values: [...query.values, size] };
  const offset = page * size;
  const statement = offset < DEEP ? statementFor(query, 'any') : { text: pageText(query, 'any') };
  return { statement, values: [...query.values, size, offset] };
}

/** What has a name is always the same text, so that it is put together once. */
const prepared = new Map<string, Statement>();

function statementFor(query: ListStatement, depth: PageDepth): Statement {
  if (query.name === undefined) return { text: pageText(query, depth) };
  const name = `${query.name}.${depth}`;
  let statement = prepared.get(name);
  if (statement === undefined) prepared.set(name, (statement = { name, text: pageText(query, depth) }));
  return statement;
}

function pageText(query: ListStatement, depth: PageDepth): string {
  if (query.weight !== undefined) return weighedPage(query, query.weight, keysOf(query, depth));
  if (query.dear === true) return countedPage(query);
  const rows =
    depth === 'first' && query.inIndexOrder === 'rows'
      ? rowsInOrder(query)
      : rowsByKey(query, keysOf(query, depth));
  return `SELECT (${query.total})::bigint AS total, ${contentOf(rows)}`;
}

function contentOf(rows: string): string {
  return `coalesce((SELECT string_agg(r.json, ',') FROM (${rows}) r), '') AS content`;
}

/** Without an OFFSET PostgreSQL knows what the page costs, and plans a prepared statement only once. */
function rowsInOrder(query: ListStatement): string {
  return query.view.eachFrom(`FROM ${query.table} t WHERE ${query.where} ${pageOrder(query)}`);
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
function rowsByKey(query: ListStatement, keys: string): string {
  const { table, view, ofOneOwner } = query;
  if (ofOneOwner !== true) return view.eachFrom(fromKeys(query, `SELECT k.id FROM (${keys}) k`));
  const json = view.jsonFrom(`FROM ${table} t WHERE t.owner_id = $1 AND t.id = k.id`);
  return `SELECT ${json} AS json FROM (${keys}) k`;
}

/**
 * The rows of all owners with these ids. Where owners are on several servers, a subquery cannot refer to a row outside of
 * it; and an array is taken for a few elements, so that no estimate turns it into a join of the table either.
 */
function fromKeys(query: ListStatement, ids: string): string {
  return `FROM ${query.table} t WHERE t.id = ANY (ARRAY(${ids})) ${pageOrder(query)}`;
}

/** Counts what it finds and sorts it, with one look at each row. */
function countedPage(query: ListStatement): string {
  const { table, where, order } = query;
  const columns = order.map(({ sql }, index) => `${sql} AS key${index}`).join(', ');
  const found = `SELECT t.id, ${columns} FROM ${table} t WHERE ${where}`;
  const byKey = orderText(order.map(({ direction }, index) => ({ sql: `f.key${index}`, direction })));
  const keys = `SELECT f.id FROM found f ORDER BY ${byKey} ${rangeOf(query, 'any')}`;
  return `WITH found AS MATERIALIZED (${found})
    SELECT (SELECT count(*) FROM found)::bigint AS total, ${contentOf(rowsByKey(query, keys))}`;
}

/** As {@link rowsByKey}; a page whose long texts are too many to be read at once comes without its content. */
function weighedPage(query: ListStatement, weight: string, keys: string): string {
  const { table, view, total, ofOneOwner } = query;
  if (ofOneOwner !== true) return weighedPageOfAll(query, weight, keys);
  const row = `FROM ${table} t WHERE t.owner_id = $1 AND t.id = k.id`;
  const weighed = `SELECT k.id, k.weight, sum(k.weight) OVER () > ${PART_WEIGHT} AS heavy
    FROM (SELECT k.id, (SELECT ${weight} ${row}) AS weight FROM (${keys}) k) k`;
  const rows = `SELECT CASE WHEN NOT k.heavy THEN ${view.jsonFrom(row)} END AS json,
    CASE WHEN k.heavy THEN ${heavyRow('$1', 'k.id', 'k.weight')} END AS heavy FROM (${weighed}) k`;
  return `SELECT (${total})::bigint AS total, coalesce(string_agg(r.json, ','), '') AS content,
    '[' || string_agg(r.heavy, ',') || ']' AS heavy_rows FROM (${rows}) r`;
}

function weighedPageOfAll(query: ListStatement, weight: string, keys: string): string {
  const { table, view, total } = query;
  const rows = view.eachFrom(fromKeys(query, 'SELECT k.id FROM k, w WHERE NOT w.heavy'));
  const heavy = `SELECT ${heavyRow('t.owner_id', 't.id', weight)} AS json ${fromKeys(query, 'SELECT k.id FROM k, w WHERE w.heavy')}`;
  return `WITH k AS MATERIALIZED (${keys}),
    w AS MATERIALIZED (SELECT sum(${weight}) > ${PART_WEIGHT} AS heavy FROM ${table} t
                        WHERE t.id = ANY (ARRAY(SELECT k.id FROM k)))
    SELECT (${total})::bigint AS total, ${contentOf(rows)},
           (SELECT '[' || string_agg(h.json, ',') || ']' FROM (${heavy}) h) AS heavy_rows`;
}

/** As an element of {@link HeavyRows}. */
function heavyRow(ownerId: string, id: string, weight: string): string {
  return `format('["%s","%s",%s]', ${ownerId}, ${id}, ${weight})`;
}
