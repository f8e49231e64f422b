import { FACETS } from '../transactions/facets.js';
import { PROPERTY_OF_ENTRY } from '../transactions/transactions.queries.js';
import { COUNTS, KIND_OF_ENTRY } from './books.js';
import type { Level } from './levels.js';
import type { Parameters } from './parameters.js';
import { isUnit, periodsOf, startOfDay } from './periods.js';
import type { ProfitAndLossQuery, ReportQuery } from './reports.dto.js';

/** The most groups of both levels together, and the most periods of a report, with or without transactions. */
export const MAX_GROUPS = 5000;

/** Written as in the index by date: with the index on `paid_at` itself a year would take three times as long. */
const PAID_AT_OF_ENTRY = 'greatest(t.paid_at)';

/** What is added up, in whatever form. */
type Asked = Omit<ProfitAndLossQuery, 'separator' | 'decimal' | 'bom'>;

function timeOf({ basis }: Asked): string {
  return basis === 'cash' ? PAID_AT_OF_ENTRY : 't.date';
}

/** SQL of the tables, if any: one of periods for each level that is a unit of time. */
export function periods(query: Asked, parameters: Parameters): string[] {
  const { groupBy, from, to } = query;
  if (!groupBy.some(isUnit)) return [];
  const first = from === null ? endOf(query, parameters, 'first') : `${parameters.bind(from)}::timestamp`;
  const last = to === null ? endOf(query, parameters, 'last') : `${parameters.bind(to)}::timestamp`;
  const tables = groupBy.flatMap((level, index) =>
    isUnit(level)
      ? [`periods${index} AS MATERIALIZED (${periodsOf(level, 'span', parameters.zone, MAX_GROUPS)})`]
      : [],
  );
  return [`span AS MATERIALIZED (SELECT ${first} AS first, ${last} AS last)`, ...tables];
}

/** SQL: the local time of the owner's first or last entry, which the index by date gives at once. */
function endOf({ basis }: Asked, { zone }: Parameters, end: 'first' | 'last'): string {
  const rows = 'FROM transactions t WHERE t.owner_id = $1';
  const direction = end === 'first' ? 'ASC' : 'DESC';
  const ofDate = `SELECT t.date ${rows} ORDER BY t.date ${direction}, t.id ${direction} LIMIT 1`;
  const ofPayment = `SELECT ${end === 'first' ? 'min' : 'max'}(t.paid_at) ${rows}`;
  return `(${basis === 'cash' ? ofPayment : ofDate}) AT TIME ZONE ${zone}`;
}

/** SQL: the sums by the levels, as `key0` and `key1`, and by what the transactions are to the books. */
export function entries(query: Asked, parameters: Parameters): string {
  const { groupBy, from, to, propertyId, basis } = query;
  const time = timeOf(query);
  // As a condition of the index by date it is computed once, and gives a good estimate; as a filter, for each row.
  const once = (sql: string): string => (basis === 'cash' ? `(SELECT ${sql})` : sql);
  const keys = groupBy.map((level, index) => `${keyOf(level, index, time)} AS key${index}`);
  const filters = [
    't.owner_id = $1',
    COUNTS,
    ...(basis === 'cash' ? [`${time} IS NOT NULL`] : []),
    ...(from === null ? [] : [`${time} >= ${once(startOfDay(parameters.bind(from), parameters.zone))}`]),
    ...(to === null ? [] : [`${time} < ${once(startOfDay(parameters.bind(to), parameters.zone, 1))}`]),
    ...(propertyId === null ? [] : [`${PROPERTY_OF_ENTRY} = ${parameters.bind(propertyId)}::bigint`]),
  ];
  const columns = [...keys, `${KIND_OF_ENTRY} AS kind`];
  return `SELECT ${columns.join(', ')}, sum(t.amount) AS amount FROM transactions t
    WHERE ${filters.join(' AND ')} GROUP BY ${columns.map((_, index) => index + 1).join(', ')}`;
}

function keyOf(level: Level, index: number, time: string): string {
  if (level === 'property') return 't.property_id';
  if (level === 'category') return `t.facets & ${FACETS.category.mask}`;
  return `width_bucket(${time}, (SELECT p.starts FROM periods${index} p))`;
}

/** SQL: whether the owner has the property that is asked for. */
export function isKnown({ propertyId }: ReportQuery, parameters: Parameters): string {
  if (propertyId === null) return 'true';
  return `EXISTS (SELECT 1 FROM properties o WHERE o.owner_id = $1 AND o.id = ${parameters.bind(propertyId)}::bigint)`;
}
