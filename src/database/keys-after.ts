import type { Position } from '../http/fields/cursors.js';
import { type KeyQuery, type Order, orderText, type SortTerm } from './page-keys.js';

/** A sort key with what the last row of the page before has there: a placeholder, or nothing. */
interface BoundTerm extends SortTerm {
  readonly value: string | undefined;
}

/** A part of what follows: a FROM clause that names the rows `t`, ending in a condition, and the order within it. */
interface Part {
  readonly from: string;
  readonly order: Order;
}

/** The ids that are looked at one by one for rows without a value. */
const NEARBY = 500;

/**
 * A statement for the keys of the page behind a position, and of one row more. The page's size, and those of the
 * position's values that are not null, are the values after the others.
 */
export function keysAfter(query: KeyQuery, position: Position): string {
  const { order } = query;
  const size = query.values.length + 1;
  let last = size;
  const terms = order.map((term, index) => ({
    ...term,
    value: position[index] === null ? undefined : `$${++last}`,
  }));
  const limit = `LIMIT $${size}::bigint + 1`;
  const [first, ...others] = partsAfter(terms, query);
  if (others.length === 0) return `SELECT t.id ${first.from} ORDER BY ${orderText(first.order)} ${limit}`;
  const columns = order.map(({ sql }, index) => `${sql} AS key${index}`).join(', ');
  const names = [first, ...others].map((_, index) => `part${index}`);
  const parts = [first, ...others].map((part, index) => {
    const found = names.slice(0, index).map((name) => `(SELECT count(*) FROM ${name})`);
    const unlessFull = index === 0 ? '' : `AND ${found.join(' + ')} <= $${size}::bigint`;
    return `${names[index]} AS MATERIALIZED (SELECT t.id, ${columns} ${part.from} ${unlessFull}
      ORDER BY ${orderText(part.order)} ${limit})`;
  });
  const all = names.map((name) => `SELECT * FROM ${name}`).join(' UNION ALL ');
  const byKey = orderText(order.map(({ direction }, index) => ({ sql: `k.key${index}`, direction })));
  return `WITH ${parts.join(', ')} SELECT k.id FROM (${all}) k ORDER BY ${byKey} ${limit}`;
}

/**
 * Where many rows tie, and around those without a value, what follows has several parts, each in the order of an index. One
 * is only read when those before it do not fill the page.
 */
function partsAfter(terms: readonly BoundTerm[], query: KeyQuery): [Part, ...Part[]] {
  const [first, ...rest] = terms;
  if (first === undefined) throw new Error('there is a sort key');
  const { table, where, ties } = query;
  const part = (condition: string, order: Order): Part => ({
    from: `FROM ${table} t WHERE ${where} AND ${condition}`,
    order,
  });
  const isPresent = `${first.sql} IS NOT NULL`;
  const isAbsent = `${first.sql} IS NULL`;
  if (first.value === undefined) {
    const absent: [Part, ...Part[]] =
      ties === 'nulls'
        ? absentById(first.sql, rest, after(rest), query)
        : [part(`${isAbsent} AND ${after(rest)}`, terms)];
    return first.direction === 'ASC' ? absent : [...absent, part(isPresent, terms)];
  }
  const beyond = `${first.sql} ${isAfter(first)} ${first.value}`;
  if (ties === 'values')
    return [part(`${first.sql} = ${first.value} AND ${after(rest)}`, rest), part(beyond, terms)];
  // Of several conditions an index would not see where its part begins.
  const condition = isRow(terms)
    ? afterRow(terms)
    : `${first.sql} ${isAfter(first)}= ${first.value} AND ${after(terms)}`;
  if (first.nullable !== true) return [part(condition, terms)];
  // From a comparison of rows PostgreSQL does not conclude that an index of those with a value has them all.
  const present = part(`${condition} AND ${isPresent}`, terms);
  if (first.direction === 'DESC') return [present];
  return [
    present,
    ...(ties === 'nulls' ? absentById(first.sql, rest, 'true', query) : [part(isAbsent, terms)]),
  ];
}

/**
 * An owner's rows without a value, in the order of the ids from one on: each of the next ids is looked up, until the page is
 * full. Where such rows are so rare that it is not, those with further ids are sorted.
 */
function absentById(
  sql: string,
  [id]: readonly BoundTerm[],
  start: string,
  { table, where }: KeyQuery,
): [Part, Part] {
  if (id === undefined) throw new Error('the id is the last sort key');
  const order = (expression: string): Order => [{ ...id, sql: expression }];
  const next = `SELECT t.id FROM ${table} t WHERE t.owner_id = $1 AND ${start} ORDER BY ${orderText([id])}`;
  const absent = `FROM ${table} t WHERE ${where} AND ${sql} IS NULL AND`;
  // The OFFSET keeps the look-up from becoming a join of the table.
  const lookUp = `SELECT t.* ${absent} t.id = n.id OFFSET 0`;
  // As no index has it: PostgreSQL would take such rows for as frequent as others', and look at all in the order of the id.
  const further = `${id.sql} + 0`;
  return [
    {
      from: `FROM (${next} LIMIT ${NEARBY}) n CROSS JOIN LATERAL (${lookUp}) t WHERE true`,
      order: order('n.id'),
    },
    {
      from: `${absent} ${further} ${isAfter(id)} (${next} LIMIT 1 OFFSET ${NEARBY - 1})`,
      order: order(further),
    },
  ];
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
