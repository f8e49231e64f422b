import type { BoundStatement } from '../database/database.js';
import { jsonOf } from '../database/json-view.js';
import { fieldsOf } from '../http/fields/fields.js';
import { FACETS, RECURS } from '../transactions/facets.js';
import { OPEN, OVERDUE } from '../transactions/search.js';
import type { Frequency } from '../transactions/transaction.enums.js';
import { Occurrence, OwedByVendor } from './cash-flow.response.js';
import type { CashFlowQuery } from './reports.dto.js';
import { Parameters } from './sums.js';

/** Rows of `overdue`, and of `due`. */
export const MAX_VENDORS = 1000;
export const MAX_OCCURRENCES = 2000;

export interface CashFlowRow {
  readonly from: string;
  readonly to: string;
  /** Each of these is null when it has more rows than its bound. */
  readonly overdue: string | null;
  readonly due: string | null;
  readonly upcoming: string | null;
}

const { type, category, frequency, status } = FACETS;

/** The distance between two occurrences, in days or in months. */
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
  const rows = `FROM transactions t WHERE t.owner_id = $1 AND ${parameters.ofProperty}`;
  const text = `WITH span AS MATERIALIZED (SELECT s.first, least((s.first + make_interval(months => ${months}))::date - 1,
        date '9999-12-31') AS last FROM (SELECT ${from} AS first) s),
    owed AS MATERIALIZED (SELECT t.vendor, t.facets, t.amount, ${OVERDUE} AS overdue,
        (t.due_date AT TIME ZONE ${zone})::date AS day ${rows} AND ${OPEN}),
    recorded AS (${recorded(zone, rows)}),
    occurrences AS MATERIALIZED (${OCCURRENCES})
    SELECT to_char(s.first, 'YYYY-MM-DD') AS from,
           to_char(s.last, 'YYYY-MM-DD') AS to, (${owedOf('o.overdue', 'o.vendor')}) AS overdue,
           (${owedOf('NOT o.overdue AND (o.day IS NULL OR o.day <= p.last)', 'o.vendor, o.day')}) AS due,
           (${UPCOMING}) AS upcoming
      FROM span s`;
  return { statement: { text }, values: parameters.values };
}

/**
 * Series of transactions that are alike in all but day, amount and status: the latest has `age` 1, and `anchor` is the day
 * of the first. One window gives both, so that the rows are sorted and gone through once.
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

const STEP_ROWS = STEPS.map(([name, days, months]) => `(${frequency.of(name)}, ${days}, ${months})`).join(
  ', ',
);

/** SQL: the number of the occurrence on a day or just before or behind it, counted from the anchor. */
function countTo(day: string): string {
  const monthOf = (of: string): string =>
    `(extract(year FROM ${of}) * 12 + extract(month FROM ${of}))::integer`;
  return `CASE f.days WHEN 0 THEN (${monthOf(day)} - ${monthOf('r.anchor')}) / f.months ELSE (${day} - r.anchor) / f.days END`;
}

/**
 * Days of the span behind the latest of each series. Each is counted from the anchor, so that the 31st comes back after the
 * shorter months, and 29 February after three years. One more than the bound is enough to see that there are too many.
 */
const OCCURRENCES = `SELECT d.day, r.*
  FROM span p CROSS JOIN recorded r JOIN (VALUES ${STEP_ROWS}) f(bits, days, months) ON f.bits = r.facets & ${frequency.mask}
  CROSS JOIN LATERAL (SELECT greatest(p.first, r.latest + 1) AS first) w
  CROSS JOIN LATERAL generate_series(${countTo('w.first')}, ${countTo('p.last')}) k
  CROSS JOIN LATERAL (SELECT (r.anchor + make_interval(months => k * f.months, days => k * f.days))::date AS day) d
  WHERE r.age = 1 AND r.facets & ${status.mask} <> ${status.of('CANCELLED')} AND d.day BETWEEN w.first AND p.last
  LIMIT ${MAX_OCCURRENCES + 1}`;

/** SQL over rows of an alias: the sums of the expenses and of the income. */
function sumsOf(alias: string): string {
  const sum = (name: 'EXPENSE' | 'INCOME'): string =>
    `coalesce(sum(${alias}.amount) FILTER (WHERE ${alias}.facets & ${type.mask} = ${type.of(name)}), 0.00)`;
  return `${sum('EXPENSE')} AS payable, ${sum('INCOME')} AS receivable`;
}

/** SQL: what is owed under the condition, grouped by these columns. */
function owedOf(condition: string, by: string): string {
  const fields = fieldsOf(OwedByVendor).map((name) => `v."${name}"`);
  return `SELECT CASE WHEN count(*) <= ${MAX_VENDORS} THEN (SELECT row_to_json(w)::text FROM (
      SELECT coalesce(sum(v.payable), 0.00) AS payable, coalesce(sum(v.receivable), 0.00) AS receivable,
             coalesce(json_agg(${jsonOf(fields)} ORDER BY v."dueOn", v.vendor COLLATE "C"), '[]') AS vendors) w) END
    FROM (SELECT min(o.day) AS "dueOn", o.vendor, ${sumsOf('o')}, count(*) AS transactions
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
const UPCOMING = `SELECT CASE WHEN count(*) <= ${MAX_OCCURRENCES} THEN (SELECT row_to_json(w)::text FROM (
      SELECT ${sumsOf('c')}, coalesce(json_agg(${jsonOf(OCCURRENCE_COLUMNS)} ORDER BY c.day, c.id), '[]') AS occurrences) w) END
  FROM occurrences c LEFT JOIN properties o ON o.owner_id = $1 AND o.id = c.property_id`;
