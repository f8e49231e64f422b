import type { Parts } from '../../common/json/exact-json.js';
import type { BoundStatement, Database } from '../database.js';
import { PART_OCTETS, partsOf, rowsOf, type TextRow } from './list-lines.js';
import type { Account } from '../shares.js';
import { byKey } from '../statements.js';
import { foundRows, keyColumns, type ListStatement, type Order, orderText } from './statement.js';

/** Where a page begins: by its number; after a cursor also by the others. */
export interface PagePlace {
  readonly page: number;
  /** Elements on all pages, as counted for the first. */
  readonly total?: number;
  /** The sort keys of the last row on the page before, as text. */
  readonly position?: readonly string[];
  /** The error of a position whose texts are no such keys: it is input. */
  readonly invalidPosition?: () => Error;
}

interface PageRow {
  /** The elements on all pages; null when the property that they belong to is missing. */
  readonly total: string | null;
  /** The elements as JSON text, separated by commas; null where it has more than {@link PART_OCTETS}. */
  readonly content: string | null;
  /** Of long elements alone. */
  readonly ids: readonly string[] | null;
  readonly octets: readonly number[] | null;
  /** The sort keys of the last row and, if more follow, of the next. */
  readonly ends: readonly (readonly string[])[];
}

/**
 * The elements, where they are long as parts, and the sort keys of the last one, if more follow. Undefined when the property
 * that the list belongs to is missing.
 */
export async function readRows(
  database: Database,
  account: Account,
  list: ListStatement,
  size: number,
  place: PagePlace,
) {
  const { statement, values } = pageStatement(list, size, place);
  const [row] = await database.read<PageRow>(account, statement, values);
  if (row?.total == null) return undefined;
  const content: string | Parts = row.content ?? elementsOf(database, account, list, row);
  const [last = null, next] = row.ends;
  return { total: Number(row.total), content, position: next === undefined ? null : last };
}

/** Long elements, of which a few are in memory at once, however slowly a client takes them. */
function elementsOf(database: Database, account: Account, list: ListStatement, { ids, octets }: PageRow) {
  const { table, view, ofOneOwner = false } = list;
  const text = `SELECT t.id, ${view.json} AS text ${rowsOf(table, ofOneOwner)}`;
  const read = async (...values: unknown[]) =>
    database.read<TextRow>(account, { text, isLong: true }, values);
  const keys = (ids ?? []).map((id, index) => ({ id, octets: octets?.[index] ?? 0 }));
  let separator = '';
  const toText = (texts: readonly string[]): string => {
    if (texts.length === 0) return '';
    const text = separator + texts.join(',');
    separator = ',';
    return text;
  };
  return { parts: partsOf(list, keys, read, toText), longest: Math.max(PART_OCTETS, ...(octets ?? [])) };
}

/** SQL of the prepared statements by name. Building it for each request took a tenth of the time that Node spends on a list. */
const PREPARED = new Map<string, string>();

const SHORT_OFFSET = 10_000; // rows that an OFFSET steps over within a millisecond

/** The statement for one page of a list. Its values: the list's own, the size, and those of the place. */
export function pageStatement(list: ListStatement, size: number, place: PagePlace): BoundStatement {
  const { page, total, position, invalidPosition } = place;
  const kind = position !== undefined ? 'after' : page === 0 ? 'first' : 'any';
  const values = [...list.values, size];
  if (kind === 'any') values.push(page * size);
  if (position !== undefined) values.push(...position, ...(list.counted === undefined ? [] : [total]));
  const name = list.name && `${list.name}.${kind}`;
  const text = (name && PREPARED.get(name)) ?? pageText(list, kind);
  if (name !== undefined) PREPARED.set(name, text);
  const isLong = list.isLong === true || (kind === 'any' && page * size > SHORT_OFFSET);
  return { statement: { name, text, isLong, invalidValue: invalidPosition }, values };
}

/** The keys come first, and that of one row more, if possible from an index alone: an OFFSET steps over entries, not rows. */
function pageText(list: ListStatement, kind: 'first' | 'any' | 'after'): string {
  const order = list.order();
  const size = list.values.length + 1;
  const limit = `$${size}::bigint`;
  const position = order.map((_, index) => `$${size + 1 + index}`);
  const behind = kind === 'after' ? `WHERE ${conditionAfter(order, position)}` : '';
  const offset = kind === 'any' ? `OFFSET $${size + 1}` : '';
  const { counted } = list;
  let total = counted ?? list.total;
  // An owner's first page that is not full has all: in a cluster those of everybody are found before they are read.
  if (counted !== undefined && list.ofOneOwner === true && kind === 'first')
    total = `CASE WHEN cardinality(c.octets) < ${limit} THEN cardinality(c.octets) ELSE ${counted} END`;
  // As the first page had it, and never more than the owner has
  if (counted !== undefined && kind === 'after')
    total = `least($${size + 1 + order.length}::bigint, ${list.total})`;
  const keys = order.map(({ name }) => `k.${name}::text`);
  return `WITH ${foundRows(list, keyColumns(order))},
      k AS MATERIALIZED (SELECT * FROM found ${behind} ORDER BY ${orderText(order)} LIMIT ${limit} + 1 ${offset})
    SELECT (${total})::bigint AS total,
           CASE WHEN octet_length(c.content) <= ${PART_OCTETS} THEN c.content END AS content,
           CASE WHEN octet_length(c.content) > ${PART_OCTETS} THEN ARRAY(SELECT k.id FROM k LIMIT ${limit}) END AS ids,
           CASE WHEN octet_length(c.content) > ${PART_OCTETS} THEN c.octets END AS octets,
           ARRAY(SELECT ARRAY[${keys.join(', ')}] FROM k OFFSET ${limit} - 1) AS ends
      FROM (SELECT coalesce(string_agg(r.json, ','), '') AS content, array_agg(octet_length(r.json)) AS octets
              FROM (${rowsByKey(list, order, limit)}) r) c`;
}

/**
 * An owner's rows are looked up by a scalar subquery, which no estimate turns into a join that reads the table. It names
 * the owner by parameter, so that one server of a cluster answers all of it. Across owners a cluster allows no such
 * subquery: the ids are an array, which PostgreSQL expects to be short.
 */
function rowsByKey({ table, view, ofOneOwner = false }: ListStatement, order: Order, limit: string): string {
  const page = `FROM k LIMIT ${limit}`;
  if (ofOneOwner)
    return `SELECT (SELECT ${view.json} FROM ${table} t WHERE ${byKey('k.id')}) AS json ${page}`;
  return `SELECT ${view.json} AS json, ${keyColumns(order)} FROM ${table} t
    WHERE t.id = ANY (ARRAY(SELECT k.id ${page})) ORDER BY ${orderText(order)} LIMIT ${limit}`;
}

/** Keys of one direction are compared as a row, which lets an index start there; else the first key alone says where. */
function conditionAfter(order: Order, values: readonly string[]): string {
  const operators = order.map(({ direction }) => (direction === 'DESC' ? '<' : '>'));
  const [first] = operators;
  if (operators.every((operator) => operator === first))
    return `(${order.map(({ name }) => name).join(', ')}) ${first} (${values.join(', ')})`;
  const after = order.reduceRight(
    (others, { name }, index) =>
      `(${name} ${operators[index]} ${values[index]} OR ${name} = ${values[index]} AND ${others})`,
    'false',
  );
  return `${order[0]?.name} ${first}= ${values[0]} AND ${after}`;
}
