import type { Direction } from '../http/fields/sort.js';

/** Which rows of a table, and in which order. */
export interface KeyQuery {
  readonly table: string;
  /** A condition over the alias `t`, with `values` as its parameters. */
  readonly where: string;
  readonly order: Order;
  /** What makes very many rows tie in the first sort key: that it has few values, or that many rows have none. */
  readonly ties?: 'values' | 'nulls';
  /** An order that an index has, and that mostly is the one asked for: what is nearly in order is sorted in less time. */
  readonly nearly?: Order;
  readonly values: readonly unknown[];
}

/** The sort keys, the first one first; the last is the id. */
export type Order = readonly SortTerm[];

export interface SortTerm {
  /** Over the alias `t`. */
  readonly sql: string;
  readonly direction: Direction;
  /** Whether a row may have no value there. */
  readonly nullable?: boolean;
}

/** What one statement is for: the first page of a list in the order of an index, any page of any list, or one far behind. */
export type PageDepth = 'first' | 'any' | 'deep';

/**
 * A statement for the ids of a page, and where few rows tie for its sort keys, but for nothing else: with the owner, too,
 * sorting 200,000 rows would take a third longer. The page's size, and its offset, are the values after the others.
 */
export function keysOf(query: KeyQuery, depth: PageDepth): string {
  const { table, where, order, ties, nearly } = query;
  if (ties !== undefined) return ties === 'values' ? keysByValue(query) : keysAroundNulls(query);
  const keys = namedKeys(order).filter(({ name }) => name !== 'id');
  const columns = ['t.id', ...keys.map(({ sql, name }) => `${sql} AS ${name}`)].join(', ');
  const rows = `SELECT ${columns} FROM ${table} t WHERE ${where}`;
  const range = rangeOf(query, depth);
  if (depth !== 'deep' || nearly === undefined) return `${rows} ORDER BY ${orderText(order)} ${range}`;
  const named = namedKeys(order).map((key) => ({ ...key, sql: `n.${key.name}` }));
  return `SELECT * FROM (${rows} ORDER BY ${orderText(nearly)} OFFSET 0) n ORDER BY ${orderText(named)} ${range}`;
}

/** The sort keys with the names that {@link keysOf} gives them, where few rows tie. */
export function namedKeys(order: Order): (SortTerm & { readonly name: string })[] {
  return order.map((term, index) => ({ ...term, name: term.sql === 't.id' ? 'id' : `key${index}` }));
}

export function rangeOf({ values }: KeyQuery, depth: PageDepth): string {
  const limit = values.length + 1;
  return depth === 'first' ? `LIMIT $${limit}` : `LIMIT $${limit} OFFSET $${limit + 1}`;
}

export function orderText(order: Order): string {
  return order.map(({ sql, direction }) => `${sql} ${direction}`).join(', ');
}

/**
 * Sorting 200,000 rows of two values takes 80 ms, nearly all of it for telling apart what ties. The rows of each value
 * are counted, so that it is known with which of them the page begins: these are read in the order of an index, from the
 * end that is nearer, and those of the values that begin within the page are sorted, if there are any.
 */
function keysByValue(query: KeyQuery): string {
  const { key, id, limit, offset } = partsOf(query);
  const further = `${offset} < p.before AND p.before < ${offset} + ${limit}`;
  const rows = `FROM ${query.table} t WHERE ${query.where} AND ${key.sql} =`;
  const ofFirst = (isWanted: string, order: SortTerm, start: string): string =>
    `SELECT t.id, ${key.sql} AS value ${rows} (SELECT f.value FROM f) AND (SELECT ${isWanted} FROM f)
        ORDER BY ${orderText([order])} LIMIT (SELECT least(${limit}, f.remaining) FROM f) OFFSET (SELECT ${start} FROM f)`;
  return `WITH g AS (SELECT ${key.sql} AS value, count(*) AS rows FROM ${query.table} t WHERE ${query.where} GROUP BY 1),
    p AS MATERIALIZED (SELECT g.value, g.rows,
      (sum(g.rows) OVER (ORDER BY g.value ${key.direction}) - g.rows)::bigint AS before FROM g),
    f AS MATERIALIZED (SELECT p.value, ${offset} - p.before AS start, p.before + p.rows - ${offset} AS remaining
      FROM p WHERE p.before <= ${offset} AND ${offset} < p.before + p.rows)
    SELECT k.id FROM (
      (${ofFirst('f.start <= f.remaining', id, 'f.start')})
      UNION ALL
      (${ofFirst('f.start > f.remaining', reversed(id), `greatest(f.remaining - ${limit}, 0)`)})
      UNION ALL
      (SELECT t.id, ${key.sql} AS value ${rows} ANY (ARRAY(SELECT p.value FROM p WHERE ${further}))
        AND (SELECT count(*) > 0 FROM p WHERE ${further})
        ORDER BY ${orderText([{ ...key, sql: 'value' }, id])} LIMIT ${limit})
    ) k ORDER BY k.value ${key.direction}, k.id ${id.direction} LIMIT ${limit}`;
}

function reversed({ direction, ...term }: SortTerm): SortTerm {
  return { ...term, direction: direction === 'ASC' ? 'DESC' : 'ASC' };
}

/**
 * As {@link keysByValue}: 100,000 rows without a value tie, and sorted by their id alone take a third of the time. Those
 * that come first are counted only so far as it matters to this page.
 */
function keysAroundNulls(query: KeyQuery): string {
  const { key, id, limit, offset } = partsOf(query);
  const isPresent = `${key.sql} IS NOT NULL`;
  const isAbsent = `${key.sql} IS NULL`;
  const rows = `FROM ${query.table} t WHERE ${query.where} AND`;
  const present = (condition: string, start: string): string =>
    `SELECT t.id, ${key.sql} AS value ${rows} ${isPresent} AND ${condition}
      ORDER BY ${orderText([key, id])} LIMIT ${limit} OFFSET ${start}`;
  // Ids alone are sorted in two thirds of the time that they take with anything beside them.
  const absent = (condition: string, start: string): string =>
    `SELECT a.id, NULL AS value FROM (SELECT t.id ${rows} ${isAbsent} AND ${condition}
      ORDER BY ${orderText([id])} LIMIT ${limit} OFFSET ${start}) a`;
  const [first, second, isFirst] =
    key.direction === 'ASC' ? [present, absent, isPresent] : [absent, present, isAbsent];
  return `WITH f AS MATERIALIZED
      (SELECT count(*) AS rows FROM (SELECT 1 ${rows} ${isFirst} LIMIT ${offset} + ${limit}) r)
    SELECT k.id FROM (
      (${first(`${offset} < (SELECT f.rows FROM f)`, offset)})
      UNION ALL
      (${second(`${offset} + ${limit} > (SELECT f.rows FROM f)`, `greatest(${offset} - (SELECT f.rows FROM f), 0)`)})
    ) k ORDER BY k.value ${key.direction}, k.id ${id.direction} LIMIT ${limit}`;
}

function partsOf({
  order: [key, id],
  values,
}: KeyQuery): Record<'key' | 'id', SortTerm> & Record<'limit' | 'offset', string> {
  if (key === undefined || id === undefined) throw new Error('there is a sort key, and the id');
  return { key, id, limit: `$${values.length + 1}::bigint`, offset: `$${values.length + 2}::bigint` };
}
