import type { Position } from '../http/fields/cursors.js';
import { type KeyQuery, type Order, orderText, type SortTerm } from './page-keys.js';

/** A sort key with what the last row of the page before has there: a placeholder, or nothing. */
interface BoundTerm extends SortTerm {
  readonly value: string | undefined;
}

/** A part of what follows, and the order within it. */
interface Part {
  readonly condition: string;
  readonly order: Order;
}

/**
 * A statement for the keys of the page behind a position, and of one row more. The page's size, and those of the
 * position's values that are not null, are the values after the others.
 */
export function keysAfter(query: KeyQuery, position: Position): string {
  const { table, where, order } = query;
  const size = query.values.length + 1;
  let last = size;
  const terms = order.map((term, index) => ({
    ...term,
    value: position[index] === null ? undefined : `$${++last}`,
  }));
  const limit = `LIMIT $${size}::bigint + 1`;
  const [first, second] = partsAfter(terms, query.ties);
  if (second === undefined)
    return `SELECT t.id FROM ${table} t
      WHERE ${where} AND ${first.condition} ORDER BY ${orderText(first.order)} ${limit}`;
  const columns = order.map(({ sql }, index) => `${sql} AS key${index}`).join(', ');
  const keys = `SELECT t.id, ${columns} FROM ${table} t WHERE ${where} AND`;
  const byKey = orderText(order.map(({ direction }, index) => ({ sql: `k.key${index}`, direction })));
  return `WITH near AS MATERIALIZED (${keys} ${first.condition} ORDER BY ${orderText(first.order)} ${limit})
    SELECT k.id FROM (
      SELECT * FROM near UNION ALL
      (${keys} ${second.condition} AND (SELECT count(*) FROM near) <= $${size}::bigint
        ORDER BY ${orderText(second.order)} ${limit})
    ) k ORDER BY ${byKey} ${limit}`;
}

/**
 * Where many rows tie, and around those without a value, what follows has two parts, each in the order of an index. The
 * second is only read when the first does not fill the page.
 */
function partsAfter(terms: readonly BoundTerm[], ties: KeyQuery['ties']): [Part, Part?] {
  const [first, ...rest] = terms;
  if (first === undefined) throw new Error('there is a sort key');
  // Where no index gives the order by this key, that of the others is cheaper.
  const amongAbsent = ties === 'nulls' ? rest : terms;
  if (first.value === undefined) {
    const absent = { condition: `${first.sql} IS NULL AND ${after(rest)}`, order: amongAbsent };
    if (first.direction === 'ASC') return [absent];
    return [absent, { condition: `${first.sql} IS NOT NULL`, order: terms }];
  }
  const beyond = `${first.sql} ${isAfter(first)} ${first.value}`;
  if (ties === 'values')
    return [
      { condition: `${first.sql} = ${first.value} AND ${after(rest)}`, order: rest },
      { condition: beyond, order: terms },
    ];
  // Of several conditions an index would not see where its part begins.
  const condition = isRow(terms)
    ? afterRow(terms)
    : `${first.sql} ${isAfter(first)}= ${first.value} AND ${after(terms)}`;
  const present = { condition, order: terms };
  if (first.nullable !== true || first.direction === 'DESC') return [present];
  return [present, { condition: `${first.sql} IS NULL`, order: amongAbsent }];
}

/** What comes behind these values, key by key; rows without a value come last ascending, first descending. */
function after(terms: readonly BoundTerm[]): string {
  const [first, ...rest] = terms;
  if (first === undefined) return 'false';
  if (isRow(terms) && first.nullable !== true) return afterRow(terms);
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
  return terms.every(
    ({ direction, value, nullable }, index) =>
      direction === terms[0]?.direction && value !== undefined && (index === 0 || nullable !== true),
  );
}

function afterRow(terms: readonly BoundTerm[]): string {
  const columns = terms.map(({ sql }) => sql).join(', ');
  const values = terms.map(({ value }) => value).join(', ');
  return `(${columns}) ${isAfter(terms[0])} (${values})`;
}

function isAfter(term: SortTerm | undefined): '>' | '<' {
  return term?.direction === 'DESC' ? '<' : '>';
}
