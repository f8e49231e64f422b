import { type CellKind, csvLine } from '../database/csv.js';
import type { BoundStatement } from '../database/database.js';
import type { WrittenCsvQuery } from '../http/fields/csv-form.js';
import { jsonList, jsonObject, JsonText } from '../http/json/exact-json.js';
import { FACETS } from '../transactions/facets.js';
import { PROPERTY_OF_ENTRY } from '../transactions/transactions.queries.js';
import { COUNTS, type Figure, FIGURES, KIND } from './books.js';
import type { Level, ProfitAndLossQuery } from './reports.dto.js';

const FIGURE_NAMES = Object.keys(FIGURES) as Figure[];
/** The most groups of both levels together. */
export const MAX_GROUPS = 5000;
/** One group too many, and the total. */
const MAX_ROWS = MAX_GROUPS + 2;

/** Unit of time → the name of a period as PostgreSQL formats it, and its length. */
const UNITS = {
  month: { format: 'YYYY-MM', length: '1 month' },
  quarter: { format: 'YYYY-"Q"Q', length: '3 months' },
  year: { format: 'YYYY', length: '1 year' },
};
type Unit = keyof typeof UNITS;

type Groups = Omit<ProfitAndLossQuery, keyof WrittenCsvQuery>;

type Figures = Readonly<Record<Figure, string>>;
type Keys = Readonly<Record<'propertyId' | 'propertyName' | Level, string>>;

/** A group, behind its own parts; the last row is the total. It has the keys of the query's levels alone. */
export interface ProfitAndLossRow extends Figures, Keys {
  /** The levels that are added up: 0 for the finest groups, all for the total. */
  readonly rest: number;
}

export function profitAndLoss(ownerId: string, query: Groups, maxRows = MAX_ROWS): BoundStatement {
  const columns = columnsOf(query.groupBy).map(({ name, value }) => `${value} AS "${name}"`);
  return sums(ownerId, query, `s.rest, ${columns.join(', ')}`, maxRows);
}

/** The same rows, each as a line of CSV. */
export function profitAndLossCsv(ownerId: string, query: ProfitAndLossQuery): BoundStatement {
  const line = `CASE s.rest WHEN ${query.groupBy.length} THEN 'total' WHEN 0 THEN 'group' ELSE 'subtotal' END`;
  const cells = columnsOf(query.groupBy).map(({ kind, value }) => [kind, value] as const);
  return sums(ownerId, query, `${csvLine([['word', line], ...cells], query)} AS line`, MAX_ROWS);
}

/** The names of the columns of CSV. */
export function csvColumns(groupBy: readonly Level[]): string[] {
  return ['line', ...columnsOf(groupBy).map(({ name }) => name)];
}

interface Column {
  readonly name: string;
  readonly kind: CellKind;
  /** SQL over `s` and `o`. */
  readonly value: string;
}

function columnsOf(groupBy: readonly Level[]): Column[] {
  const keys = groupBy.flatMap((level, index): Column[] => {
    const value = `s.key${index}`;
    if (level === 'property')
      return [
        { name: 'propertyId', kind: 'number', value },
        { name: 'propertyName', kind: 'text', value: 'o.name' },
      ];
    if (level === 'category') return [{ name: level, kind: 'word', value: FACETS.category.valueOf(value) }];
    const start = `(SELECT p.starts FROM ${level}s p)[${value}] AT TIME ZONE $3::text`;
    return [{ name: level, kind: 'word', value: `to_char(${start}, '${UNITS[level].format}')` }];
  });
  return [...keys, ...FIGURE_NAMES.map((name): Column => ({ name, kind: 'number', value: `s."${name}"` }))];
}

/**
 * $1 owner, $2 property, $3 time zone, $4 the first and $5 the last day. The entries are read once, from the index of the
 * default list, and added up by the finest groups and by their kind; all else is made of these few rows. The statement is
 * not prepared: its best plan depends on the entries in the period.
 */
function sums(ownerId: string, query: Groups, columns: string, maxRows: number): BoundStatement {
  const { propertyId, timeZone, from, to, groupBy, basis } = query;
  const time = basis === 'cash' ? 't.paid_at' : 't.date';
  const keys = groupBy.map((_, index) => `key${index}`);
  const byKey = keys.map((key) => `e.${key}`);
  const rest = keys.length === 0 ? '0' : `num_nulls(${byKey.join(', ')})`;
  const figures = Object.entries(FIGURES).map(([name, sql]) => `${sql} AS "${name}"`);
  const property = `LEFT JOIN properties o ON o.owner_id = $1 AND o.id = s.key${groupBy.indexOf('property')}`;
  const tables = [
    ...groupBy.filter(isUnit).map((unit) => `${unit}s AS MATERIALIZED (${startsOf(unit, time)})`),
    `entries AS MATERIALIZED (${entries(groupBy, time)})`,
    `sums AS (SELECT ${[...byKey, `${rest} AS rest`, ...figures].join(', ')} FROM entries e
      ${keys.length === 0 ? '' : `GROUP BY ROLLUP (${byKey.join(', ')})`})`,
  ];
  const text = `WITH ${tables.join(',\n')}
    SELECT ${columns} FROM sums s ${groupBy.includes('property') ? property : ''}
     ORDER BY ${[...keys.map((key) => `s.${key} NULLS LAST`), 's.rest'].join(', ')} LIMIT ${maxRows}`;
  return { statement: { text }, values: [ownerId, propertyId, timeZone, from, to] };
}

/** SQL: the amounts by the levels, as `key0` and `key1`, and by kind. */
function entries(groupBy: readonly Level[], time: string): string {
  const keys = groupBy.map((level, index) => `${keyOf(level, time)} AS key${index}`);
  const columns = [...keys, `${KIND} AS kind`];
  return `SELECT ${columns.join(', ')}, sum(t.amount) AS amount FROM transactions t
    WHERE t.owner_id = $1 AND ($2::bigint IS NULL OR ${PROPERTY_OF_ENTRY} = $2) AND ${COUNTS} AND ${time} IS NOT NULL
      AND ($4::date IS NULL OR ${time} >= ${firstInstantOf('$4::date::timestamp')})
      AND ($5::date IS NULL OR ${time} < ${firstInstantOf('($5::date + 1)::timestamp')})
    GROUP BY ${columns.map((_, index) => index + 1).join(', ')}`;
}

function isUnit(level: Level): level is Unit {
  return level in UNITS;
}

function keyOf(level: Level, time: string): string {
  if (level === 'property') return 't.property_id';
  if (level === 'category') return `t.facets & ${FACETS.category.mask}`;
  return `width_bucket(${time}, (SELECT p.starts FROM ${level}s p))`;
}

/**
 * SQL: the starts of all periods of a unit, in one array. The period of an instant is then found by a search among some
 * dozens of instants (`width_bucket`), in a fraction of the time that its month in a time zone would take.
 */
function startsOf(unit: Unit, time: string): string {
  const entry = (end: 'min' | 'max'): string =>
    `(SELECT ${end}(${time}) FROM transactions t WHERE t.owner_id = $1) AT TIME ZONE $3::text`;
  const [first, last] = [`coalesce($4::date, ${entry('min')})`, `coalesce($5::date, ${entry('max')})`];
  return `SELECT array_agg(${firstInstantOf('p.start')} ORDER BY p.start) AS starts
    FROM generate_series(date_trunc('${unit}', ${first}), ${last}, interval '${UNITS[unit].length}') p(start)`;
}

/**
 * SQL: the first instant at which the clocks of $3 show this local time or a later one. Where a time comes twice, because
 * the clocks are set back, PostgreSQL means the second; the first is a day behind the same time of the day before.
 */
function firstInstantOf(local: string): string {
  const usual = `${local} AT TIME ZONE $3::text`;
  const dayBefore = `(${local} - interval '1 day') AT TIME ZONE $3::text AT TIME ZONE 'UTC'`;
  const earlier = `(${dayBefore} + interval '1 day') AT TIME ZONE 'UTC'`;
  return `least(${usual}, CASE WHEN ${earlier} AT TIME ZONE $3::text >= ${local} THEN ${earlier} END)`;
}

/** JSON of the total and of the groups, each with its parts in it. A part has the key of its own level alone. */
export function nested(
  rows: readonly ProfitAndLossRow[],
  groupBy: readonly Level[],
): Record<'total' | 'groups', JsonText> {
  const groups: JsonText[] = [];
  let total = jsonObject({});
  let parts: JsonText[] = [];
  for (const row of rows) {
    const level = groupBy[groupBy.length - 1 - row.rest];
    const figures = Object.fromEntries(FIGURE_NAMES.map((name) => [name, new JsonText(row[name])]));
    if (level === undefined) total = jsonObject(figures);
    else if (groupBy.length === 2 && row.rest === 0)
      parts.push(jsonObject({ ...figures, ...keysOf(row, level) }));
    else {
      groups.push(jsonObject({ ...figures, ...keysOf(row, level), groups: jsonList(parts) }));
      parts = [];
    }
  }
  return { total, groups: jsonList(groups) };
}

function keysOf(row: ProfitAndLossRow, level: Level): object {
  const none = { propertyId: null, propertyName: null, category: null, period: null };
  if (level === 'property')
    return { ...none, propertyId: new JsonText(row.propertyId), propertyName: row.propertyName };
  return level === 'category' ? { ...none, category: row.category } : { ...none, period: row[level] };
}
