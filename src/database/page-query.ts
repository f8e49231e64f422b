import type { PageRequest, PageRows } from '../http/fields/page.js';
import type { SortKey } from '../http/fields/sort.js';
import type { Database, Statement } from './database.js';
import type { JsonView } from './json-view.js';

/** A list of one table: which rows, in which order, and where their number is known. */
export interface PageQuery {
  /** Names the prepared statement; none for one whose best plan depends on its values. */
  readonly name?: string;
  readonly table: string;
  readonly view: JsonView;
  /** A condition over the alias `t`, with `values` as its parameters. */
  readonly where: string;
  readonly order: string;
  /** An index gives just this order to just these rows: the first page then reads no more rows than it shows. */
  readonly inIndexOrder?: boolean;
  /** An SQL expression, over the same parameters, for the number of rows in all. */
  readonly total: string;
  readonly values: readonly unknown[];
}

/** Sort field → the SQL it sorts by, over the alias `t`. */
export type SortColumns<Field extends string> = Readonly<Record<Field, string>>;

/** ORDER BY of the keys. The id always comes last, ascending, so that no two rows ever tie. */
export function orderBy<Field extends string>(
  keys: readonly SortKey<Field>[],
  columns: SortColumns<Field>,
): string {
  const terms = keys.map(({ field, direction }) => `${columns[field]} ${direction}`);
  return keys.some(({ field }) => field === 'id') ? terms.join(', ') : [...terms, 't.id ASC'].join(', ');
}

/** The name of a list's prepared statement: none for several keys, for there would be any number of statements. */
export function preparedName(prefix: string, keys: readonly SortKey[]): Pick<PageQuery, 'name'> {
  const [key, ...others] = keys;
  return key === undefined || others.length > 0 ? {} : { name: `${prefix}.${key.field}.${key.direction}` };
}

/** Runs a list. Undefined when `total` is null, that is, when what the list belongs to is not there. */
export async function queryPage(
  database: Database,
  query: PageQuery,
  request: PageRequest,
): Promise<PageRows | undefined> {
  const { statement, values } = pageStatement(query, request);
  const [row] = await database.read<{ total: string | null; content: string }>(statement, values);
  return row?.total == null ? undefined : { content: row.content, total: Number(row.total) };
}

/** The statement for one page of a list, with its values. */
export function pageStatement(
  query: PageQuery,
  { page, size }: PageRequest,
): { statement: Statement; values: unknown[] } {
  return page === 0 && query.inIndexOrder === true
    ? { statement: statementFor(query, 'first'), values: [...query.values, size] }
    : { statement: statementFor(query, 'any'), values: [...query.values, size, page * size] };
}

/** What one statement is for: the first page of a list in the order of an index, or any page of any list. */
type PageDepth = 'first' | 'any';

/** What has a name is always the same text, so that it is put together once. */
const prepared = new Map<string, Statement>();

function statementFor(query: PageQuery, depth: PageDepth): Statement {
  if (query.name === undefined) return { text: pageText(query, depth) };
  const name = `${query.name}.${depth}`;
  let statement = prepared.get(name);
  if (statement === undefined) prepared.set(name, (statement = { name, text: pageText(query, depth) }));
  return statement;
}

function pageText(query: PageQuery, depth: PageDepth): string {
  const rows = depth === 'first' ? rowsInOrder(query) : rowsByKey(query);
  return `SELECT (${query.total})::bigint AS total, coalesce((SELECT string_agg(r.json, ',') FROM (${rows}) r), '') AS content`;
}

/** Without an OFFSET PostgreSQL knows what the page costs, and plans a prepared statement only once. */
function rowsInOrder({ table, view, where, order, values }: PageQuery): string {
  return `SELECT ${view.json} AS json FROM ${table} t WHERE ${where} ORDER BY ${order} LIMIT $${values.length + 1}`;
}

/**
 * Finds the keys of the page by an index alone and only then looks up those rows: OFFSET then steps over index
 * entries, not over rows. The look-up is a scalar subquery, which no estimate can turn into a join of the table.
 */
function rowsByKey({ table, view, where, order, values }: PageQuery): string {
  const limit = values.length + 1;
  const keys = `SELECT t.owner_id, t.id FROM ${table} t WHERE ${where} ORDER BY ${order} LIMIT $${limit} OFFSET $${limit + 1}`;
  const json = view.jsonFrom(`FROM ${table} t WHERE t.owner_id = k.owner_id AND t.id = k.id`);
  return `SELECT ${json} AS json FROM (${keys}) k`;
}
