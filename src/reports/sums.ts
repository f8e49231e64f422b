import type { BoundStatement } from '../database/database.js';
import { FACETS } from '../transactions/facets.js';
import { PROPERTY_OF_ENTRY } from '../transactions/transactions.queries.js';
import { COUNTS, FIGURES, KIND } from './books.js';
import { isUnit, periodsOf, startOfDay } from './periods.js';
import type { Level, ProfitAndLossQuery, ReportQuery } from './reports.dto.js';

/** The most groups of both levels together, and the most periods of a report, with or without transactions. */
export const MAX_GROUPS = 5000;

/** The values of a report's statement, as it is put together; the first, `$1`, is the owner. */
export class Parameters {
  readonly values: unknown[];
  #zone: string | undefined;

  constructor(
    ownerId: string,
    private readonly query: ReportQuery,
  ) {
    this.values = [ownerId];
  }

  /** Takes a value, and returns its placeholder. */
  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** SQL: the time zone. A value that no part of a statement uses would be an error. */
  get zone(): string {
    return (this.#zone ??= `${this.bind(this.query.timeZone)}::text`);
  }

  /** SQL over `t`: a condition for the property of the query, if it names one. */
  get ofProperty(): string {
    const { propertyId } = this.query;
    return propertyId === null ? 'true' : `${PROPERTY_OF_ENTRY} = ${this.bind(propertyId)}::bigint`;
  }
}

/** The period and the groups of a report. */
type Asked = ReportQuery & Pick<ProfitAndLossQuery, 'from' | 'to' | 'groupBy' | 'basis'>;

export interface SumsRow {
  /** The periods of the finer unit, with or without transactions. */
  readonly periods: number;
  /** 0 for the finest groups, 1 for the groups of two levels above them, else the total. */
  readonly rest: number;
}

/**
 * The figures of each group and, in the last row, of all: columns over `s`, and over `o`, a property that is a group. The
 * entries are read once, from the index of the default list, and added up by the finest groups and by their kind; all else is
 * made of these few rows. The statement is not prepared: its best plan depends on the entries in the period.
 */
export function sums(ownerId: string, query: Asked, columns: string, limit: number): BoundStatement {
  const parameters = new Parameters(ownerId, query);
  const { groupBy } = query;
  const keys = groupBy.map((_, index) => `key${index}`);
  const byKey = keys.map((key) => `e.${key}`);
  const sets = [...keys, ''].map((_, count) => `(${byKey.slice(0, count).join(', ')})`);
  const rest = keys.length === 0 ? '0' : `grouping(${byKey.join(', ')})`;
  const figures = Object.entries(FIGURES).map(([name, sql]) => `${sql} AS "${name}"`);
  const tables = [
    ...periods(query, parameters),
    `entries AS MATERIALIZED (${entries(query, parameters)})`,
    `sums AS MATERIALIZED (SELECT ${[...byKey, `${rest} AS rest`, ...figures].join(', ')} FROM entries e
      GROUP BY GROUPING SETS (${sets.join(', ')}))`,
  ];
  const counts = groupBy.flatMap((level, index) =>
    isUnit(level) ? [`(SELECT cardinality(p.starts) FROM periods${index} p)`] : [],
  );
  const property = `JOIN properties o ON o.owner_id = $1 AND o.id = s.key${groupBy.indexOf('property')}`;
  const text = `WITH ${tables.join(',\n')}
    SELECT greatest(0, ${counts.join(', ') || '0'}) AS periods, s.rest, ${columns}
      FROM sums s ${groupBy.includes('property') ? `LEFT ${property}` : ''}
     ORDER BY ${[...keys.map((key) => `s.${key} NULLS LAST`), 's.rest'].join(', ')} LIMIT ${limit}`;
  return { statement: { text }, values: parameters.values };
}

/** SQL of the tables, if any: one of periods for each level that is a unit of time. */
function periods(query: Asked, parameters: Parameters): string[] {
  const { groupBy, from, to } = query;
  if (!groupBy.some(isUnit)) return [];
  const { zone } = parameters;
  const first = from === null ? entryAt('first', query, zone) : `${parameters.bind(from)}::timestamp`;
  const last = to === null ? entryAt('last', query, zone) : `${parameters.bind(to)}::timestamp`;
  const tables = groupBy.flatMap((level, index) =>
    isUnit(level) ? [`periods${index} AS MATERIALIZED (${periodsOf(level, 'span', zone, MAX_GROUPS)})`] : [],
  );
  return [`span AS MATERIALIZED (SELECT ${first} AS first, ${last} AS last)`, ...tables];
}

/** SQL: the local time of the owner's first or last entry, which the index by date gives at once. */
function entryAt(end: 'first' | 'last', { basis }: Asked, zone: string): string {
  const rows = 'FROM transactions t WHERE t.owner_id = $1';
  const direction = end === 'first' ? 'ASC' : 'DESC';
  const ofDate = `SELECT t.date ${rows} ORDER BY t.date ${direction}, t.id ${direction} LIMIT 1`;
  const ofPayment = `SELECT ${end === 'first' ? 'min' : 'max'}(t.paid_at) ${rows}`;
  return `(${basis === 'cash' ? ofPayment : ofDate}) AT TIME ZONE ${zone}`;
}

/** SQL: the amounts by the levels, as `key0` and `key1`, and by kind. */
function entries({ groupBy, from, to, basis }: Asked, parameters: Parameters): string {
  const isCash = basis === 'cash';
  // Written as in the index by date: with the index on `paid_at` itself a year would take three times as long.
  const time = isCash ? 'greatest(t.paid_at)' : 't.date';
  // As a condition of the index by date it is computed once, and gives a good estimate; as a filter, for each row.
  const startOf = (day: string, later = 0): string => {
    const start = startOfDay(parameters.bind(day), parameters.zone, later);
    return isCash ? `(SELECT ${start})` : start;
  };
  const filters = [
    't.owner_id = $1',
    COUNTS,
    ...(isCash ? [`${time} IS NOT NULL`] : []),
    ...(from === null ? [] : [`${time} >= ${startOf(from)}`]),
    ...(to === null ? [] : [`${time} < ${startOf(to, 1)}`]),
    parameters.ofProperty,
  ];
  const keys = groupBy.map((level, index) => `${keyOf(level, index, time)} AS key${index}`);
  const columns = [...keys, `${KIND} AS kind`];
  return `SELECT ${columns.join(', ')}, sum(t.amount) AS amount FROM transactions t
    WHERE ${filters.join(' AND ')} GROUP BY ${columns.map((_, index) => index + 1).join(', ')}`;
}

function keyOf(level: Level, index: number, time: string): string {
  if (level === 'property') return 't.property_id';
  if (level === 'category') return `t.facets & ${FACETS.category.mask}`;
  return `width_bucket(${time}, (SELECT p.starts FROM periods${index} p))`;
}
