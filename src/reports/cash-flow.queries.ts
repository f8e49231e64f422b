import type { BoundStatement } from '../database/database.js';
import { jsonOf } from '../database/json-view.js';
import { fieldsOf } from '../http/fields/fields.js';
import { FACETS, RECURS } from '../transactions/facets.js';
import { OPEN, OVERDUE } from '../transactions/search.js';
import type { Frequency } from '../transactions/transaction.enums.js';
import { PROPERTY_OF_ENTRY } from '../transactions/transactions.queries.js';
import { Occurrence, OwedByVendor } from './cash-flow.response.js';
import { isKnown } from './entries.js';
import { Parameters } from './parameters.js';
import type { CashFlowQuery } from './reports.dto.js';

/** Rows of `overdue`, and of `due`. */
export const MAX_VENDORS = 1000;
export const MAX_OCCURRENCES = 2000;
/** The most occurrences to compute before it is clear that there are too many. */
const MAX_COMPUTED = 20 * MAX_OCCURRENCES;

export interface CashFlowRow {
  /** Whether the owner has the property that is asked for. */
  readonly known: boolean;
  readonly from: string;
  readonly to: string;
  readonly overdue: string | null;
  readonly due: string | null;
  /** These are null when there is more than is answered. */
  readonly upcoming: string | null;
}

const { type, category, frequency, status } = FACETS;

/** How far apart two occurrences are: in days, or in months. */
const STEPS: readonly (readonly [Frequency, days: number, months: number])[] = [
  ['DAILY', 1, 0],
  ['WEEKLY', 7, 0],
  ['BI_WEEKLY', 14, 0],
  ['MONTHLY', 0, 1],
  ['QUARTERLY', 0, 3],
  ['SEMI_ANNUALLY', 0, 6],
  ['ANNUALLY', 0, 12],
];

/** One statement, so that nothing is both paid and still owed in it. */
export function cashFlow(ownerId: string, query: CashFlowQuery): BoundStatement {
  const parameters = new Parameters(ownerId, query);
  const { zone } = parameters;
  const from =
    query.from === null ? `(now() AT TIME ZONE ${zone})::date` : `${parameters.bind(query.from)}::date`;
  const months = `${parameters.bind(query.months)}::integer`;
  const ofProperty =
    query.propertyId === null
      ? ''
      : `AND ${PROPERTY_OF_ENTRY} = ${parameters.bind(query.propertyId)}::bigint`;
  const rows = `FROM transactions t WHERE t.owner_id = $1 ${ofProperty}`;
  const text = `WITH span AS MATERIALIZED (SELECT s.first, least((s.first + make_interval(months => ${months}))::date - 1,
        date '9999-12-31') AS last FROM (SELECT ${from} AS first) s),
    owed AS MATERIALIZED (SELECT t.vendor, t.facets, t.amount, ${OVERDUE} AS overdue,
        (t.due_date AT TIME ZONE ${zone})::date AS day ${rows} AND ${OPEN}),
    recorded AS (${recorded(zone, rows)}),
    series AS MATERIALIZED (${SERIES}),
    occurrences AS MATERIALIZED (${OCCURRENCES})
    SELECT ${isKnown(query, parameters)} AS known, to_char(s.first, 'YYYY-MM-DD') AS from,
           to_char(s.last, 'YYYY-MM-DD') AS to, (${owedOf('o.overdue', 'o.vendor')}) AS overdue,
           (${owedOf('NOT o.overdue AND (o.day IS NULL OR o.day <= p.last)', 'o.vendor, o.day')}) AS due,
           (${UPCOMING}) AS upcoming
      FROM span s`;
  return { statement: { text }, values: parameters.values };
}

/**
 * What recurs, the latest of those that are alike in all but day, amount and status first (`age` 1), with the day of the
 * first of them. One window gives both, so that the rows are sorted and gone through once.
 */
function recorded(zone: string, rows: string): string {
  const kind = type.mask | category.mask | frequency.mask;
  const day = (date: string): string => `greatest((${date} AT TIME ZONE ${zone})::date, date '0001-01-01')`;
  return `SELECT t.id, t.property_id, t.facets, t.vendor, t.description, t.amount, ${day('t.date')} AS latest,
      ${day('last_value(t.date) OVER alike')} AS anchor, row_number() OVER alike AS age
    ${rows} AND ${RECURS}
    WINDOW alike AS (PARTITION BY t.property_id, t.facets & ${kind}, t.vendor COLLATE "C", t.description COLLATE "C"
      ORDER BY t.date DESC, t.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`;
}

const monthsOf = (day: string): string =>
  `(extract(year FROM ${day}) * 12 + extract(month FROM ${day}))::integer`;
const STEP_ROWS = STEPS.map(([name, days, months]) => `(${frequency.of(name)}, ${days}, ${months})`).join(
  ', ',
);

/** Of each series, the numbers of its first and last occurrence, counted from the anchor; at most one too many. */
const SERIES = `SELECT r.*, f.days, f.months, w.first AS "from", p.last AS "to",
    CASE f.days WHEN 0 THEN (${monthsOf('w.first')} - ${monthsOf('r.anchor')}) / f.months
      ELSE (w.first - r.anchor) / f.days END AS earliest,
    CASE f.days WHEN 0 THEN (${monthsOf('p.last')} - ${monthsOf('r.anchor')}) / f.months
      ELSE (p.last - r.anchor) / f.days END AS farthest
  FROM recorded r JOIN (VALUES ${STEP_ROWS}) f(bits, days, months) ON f.bits = r.facets & ${frequency.mask}
  CROSS JOIN span p CROSS JOIN LATERAL (SELECT greatest(p.first, r.latest + 1) AS first) w
  WHERE r.age = 1 AND r.facets & ${status.mask} <> ${status.of('CANCELLED')} AND w.first <= p.last`;

/** Each counted from the anchor, so that the 31st comes back after the shorter months, and 29 February after three years. */
const OCCURRENCES = `SELECT d.day, s.* FROM series s CROSS JOIN LATERAL generate_series(s.earliest, s.farthest) k
  CROSS JOIN LATERAL (SELECT (s.anchor + make_interval(months => k * s.months, days => k * s.days))::date AS day) d
  WHERE d.day BETWEEN s."from" AND s."to"
    AND (SELECT coalesce(sum(n.farthest - n.earliest + 1), 0) FROM series n) <= ${MAX_COMPUTED}`;

/** SQL over rows of an alias: a sum of one type. */
function sumOfType(name: 'EXPENSE' | 'INCOME', alias: string): string {
  return `coalesce(sum(${alias}.amount) FILTER (WHERE ${alias}.facets & ${type.mask} = ${type.of(name)}), 0.00)`;
}

/** What is owed under the condition, grouped by these columns; null when there are too many groups. */
function owedOf(condition: string, by: string): string {
  const fields = fieldsOf(OwedByVendor).map((name) => `v."${name}"`);
  return `SELECT CASE WHEN count(*) <= ${MAX_VENDORS} THEN (SELECT row_to_json(w)::text FROM (
      SELECT coalesce(sum(v.payable), 0.00) AS payable, coalesce(sum(v.receivable), 0.00) AS receivable,
             coalesce(json_agg(${jsonOf(fields)}
               ORDER BY v."dueOn", v.vendor COLLATE "C"), '[]') AS vendors) w) END
    FROM (SELECT min(o.day) AS "dueOn", o.vendor, ${sumOfType('EXPENSE', 'o')} AS payable,
                 ${sumOfType('INCOME', 'o')} AS receivable, count(*) AS transactions
            FROM owed o CROSS JOIN span p WHERE ${condition} GROUP BY ${by}) v`;
}

/** Field → its SQL, where it is no column of the same name. */
const OF_OCCURRENCE: Record<string, string> = {
  date: `to_char(c.day, 'YYYY-MM-DD')`,
  transactionId: 'c.id',
  propertyId: 'c.property_id',
  propertyName: 'o.name',
  type: type.valueOf(`(c.facets & ${type.mask})`),
  category: category.valueOf(`(c.facets & ${category.mask})`),
  frequency: frequency.valueOf(`(c.facets & ${frequency.mask})`),
};
const OCCURRENCE_COLUMNS = fieldsOf(Occurrence).map(
  (name) => `${OF_OCCURRENCE[name] ?? `c.${name}`} AS "${name}"`,
);
const UPCOMING = `SELECT CASE WHEN count(*) <= ${MAX_OCCURRENCES}
      AND (SELECT coalesce(sum(n.farthest - n.earliest + 1), 0) FROM series n) <= ${MAX_COMPUTED}
    THEN (SELECT row_to_json(w)::text FROM (
      SELECT ${sumOfType('EXPENSE', 'c')} AS payable, ${sumOfType('INCOME', 'c')} AS receivable,
             coalesce(json_agg(${jsonOf(OCCURRENCE_COLUMNS)}
               ORDER BY c.day, c.id), '[]') AS occurrences) w) END
  FROM occurrences c LEFT JOIN properties o ON o.owner_id = $1 AND o.id = c.property_id`;
