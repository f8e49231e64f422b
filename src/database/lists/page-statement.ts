import type { BoundStatement, Statement } from '../database.js';
import type { Mark, Position } from './cursor.js';
import {
  keyColumns,
  type ListStatement,
  namedKeys,
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
  readonly position: Position | null;
}

/** The statement for one page of a list, with its values. */
export function pageStatement(list: ListStatement, { page, size, after }: PagePlace): BoundStatement {
  const values = [...list.values, size];
  if (after !== undefined) return statementAfter(list, values, after);
  if (page === 0) return { statement: prepared(list, 'first', () => pageText(list, {})), values };
  const offset = `OFFSET $${values.push(page * size)}`;
  return { statement: prepared(list, 'any', () => pageText(list, { offset })), values };
}

function statementAfter(list: ListStatement, values: unknown[], { position, total }: Mark): BoundStatement {
  const placeholders = position.map((value) => (value === null ? undefined : `$${values.push(value)}`));
  const counted = list.counted === true ? `$${values.push(total)}` : list.total;
  const text = (): string => pageText(list, { placeholders, total: counted });
  const statement = position.includes(null) ? { text: text() } : prepared(list, 'after', text);
  return { statement, values };
}

/** A text with a name is always the same, so that it is put together once. */
const statements = new Map<string, Statement>();

function prepared(list: ListStatement, page: 'first' | 'any' | 'after', text: () => string): Statement {
  if (list.name === undefined) return { text: text() };
  const name = `${list.name}.${page}`;
  let statement = statements.get(name);
  if (statement === undefined) statements.set(name, (statement = { name, text: text() }));
  return statement;
}

interface PageOptions {
  readonly offset?: string;
  /** Of the position behind which the page begins. */
  readonly placeholders?: readonly (string | undefined)[];
  readonly total?: string;
}

/**
 * Finds the keys of the page, and of one row more, by an index alone where there is one; only then are the rows looked
 * up. An OFFSET then steps over index entries, not over rows.
 */
function pageText(list: ListStatement, { offset = '', placeholders, total }: PageOptions): string {
  const { table, where, order, expensive = false } = list;
  const size = sizeOf(list);
  const rows = `SELECT ${keyColumns(order)} FROM ${table} t WHERE ${where}`;
  const keys = expensive ? orderOfKeys(order, 't') : order;
  const behind = placeholders === undefined ? undefined : conditionAfter(keys, placeholders);
  const found = expensive ? `SELECT t.* FROM found t WHERE ${behind ?? 'true'}` : and(rows, behind);
  const position = namedKeys(order).map(({ name, type }) => keyText(`k.${name}`, type));
  return `WITH ${expensive ? `found AS MATERIALIZED (${rows}), ` : ''}
      k AS MATERIALIZED (${found} ORDER BY ${orderText(keys)} LIMIT ${size} + 1 ${offset})
    SELECT (${total ?? (expensive ? 'SELECT count(*) FROM found' : list.total)})::bigint AS total,
           (SELECT coalesce(string_agg(r.json, ','), '') FROM (${rowsByKey(list)}) r) AS content,
           (SELECT count(*) > ${size} FROM k) AS more,
           (SELECT ARRAY[${position.join(', ')}] FROM k LIMIT 1 OFFSET ${size} - 1) AS position`;
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
    return `SELECT ${view.jsonFrom(`FROM ${table} t WHERE t.owner_id = $1 AND t.id = k.id`)} AS json ${page}`;
  return view.eachFrom(
    `FROM ${table} t WHERE t.id = ANY (ARRAY(SELECT k.id ${page})) ORDER BY ${orderText(order)} LIMIT ${sizeOf(list)}`,
  );
}

function sizeOf({ values }: ListStatement): string {
  return `$${values.length + 1}::bigint`;
}

/** In UTC, whatever the time zone of the session: a cursor is read without it. */
function keyText(key: string, type: SortTerm['type']): string {
  return type === 'timestamptz' ? `(${key} AT TIME ZONE 'UTC')::text` : `${key}::text`;
}

function and(rows: string, condition: string | undefined): string {
  return condition === undefined ? rows : `${rows} AND ${condition}`;
}

/** A sort key with what the last row of the page before has there: a placeholder, or nothing. */
interface BoundTerm extends SortTerm {
  readonly value: string | undefined;
}

function conditionAfter(order: Order, placeholders: readonly (string | undefined)[]): string {
  const terms = order.map((term, index) => ({ ...term, value: placeholders[index] }));
  const [first] = terms;
  if (first === undefined || isRow(terms)) return afterRow(terms);
  // No index has the order: IS TRUE keeps PostgreSQL from the index of the ids, whose rows it would have to look up.
  if (first.nullable === true) return `(${after(terms)}) IS TRUE`;
  // Of several conditions alone an index would not see where the page begins.
  return `${first.sql} ${isAfter(first)}= ${first.value} AND ${after(terms)}`;
}

/** What comes behind these values, key by key; rows without a value come last ascending, first descending. */
function after(terms: readonly BoundTerm[]): string {
  const [first, ...rest] = terms;
  if (first === undefined) return 'false';
  const { sql, value, direction, nullable } = first;
  const tied = `${value === undefined ? `${sql} IS NULL` : `${sql} = ${value}`} AND ${after(rest)}`;
  const further = [
    ...(value === undefined ? [] : [`${sql} ${isAfter(first)} ${value}`]),
    ...(value === undefined && direction === 'DESC' ? [`${sql} IS NOT NULL`] : []),
    ...(value !== undefined && direction === 'ASC' && nullable === true ? [`${sql} IS NULL`] : []),
  ];
  return `(${[...further, tied].join(' OR ')})`;
}

/** Whether a comparison of rows says the same, which an index answers from where it begins. */
function isRow(terms: readonly BoundTerm[]): boolean {
  return terms.every(({ direction, nullable }) => direction === terms[0]?.direction && nullable !== true);
}

function afterRow(terms: readonly BoundTerm[]): string {
  const columns = terms.map(({ sql }) => sql).join(', ');
  const values = terms.map(({ value }) => value).join(', ');
  return `(${columns}) ${isAfter(terms[0])} (${values})`;
}

function isAfter(term: SortTerm | undefined): '>' | '<' {
  return term?.direction === 'DESC' ? '<' : '>';
}
