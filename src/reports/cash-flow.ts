import { jsonOf } from '../database/json-view.js';
import { fieldsOf } from '../common/validation/fields.js';
import { FACETS, type Frequency, RECURS } from '../transactions/transaction.enums.js';
import { OPEN, OVERDUE } from '../transactions/search.js';
import { OwedByVendor } from './dto/reports.response.js';

export const MAX_VENDORS = 1000; // rows of `overdue`, and of `due`
export const MAX_OCCURRENCES = 2000;

/** A part is null when it has more rows than its bound. */
export type CashFlowRow = Readonly<
  Record<'from' | 'to', string> & Record<'overdue' | 'due' | 'upcoming', string | null>
>;

const { type, category, frequency, status } = FACETS;

/** Frequency → the interval between two occurrences, and its average days. */
const STEPS: readonly (readonly [Frequency, step: string, days: number])[] = [
  ['DAILY', '1 day', 1],
  ['WEEKLY', '7 days', 7],
  ['BI_WEEKLY', '14 days', 14],
  ['MONTHLY', '1 month', 30.436875],
  ['QUARTERLY', '3 months', 91.310625],
  ['SEMI_ANNUALLY', '6 months', 182.62125],
  ['ANNUALLY', '1 year', 365.2425],
];
const STEP_ROWS = STEPS.map(([name, step, days]) => `(${frequency.of(name)}, interval '${step}', ${days})`);

const ROWS = `FROM transactions t
  WHERE t.owner_id = $1 AND ($2::bigint IS NULL OR t.property_id = $2)`;

/** Series alike but for day, amount and status: the latest has `age` 1, `anchor` is the first day. One window, one sort. */
const RECORDED = `SELECT t.id, t.property_id, t.facets, t.vendor, t.description, t.amount, ${dayOf('t.date')} AS latest,
    ${dayOf('last_value(t.date) OVER alike')} AS anchor, row_number() OVER alike AS age
  ${ROWS} AND ${RECURS}
  WINDOW alike AS (PARTITION BY t.property_id, t.facets & ${type.mask | category.mask | frequency.mask},
    t.vendor COLLATE "C", t.description COLLATE "C"
    ORDER BY t.date DESC, t.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`;

/** SQL: the local day of an instant, if any; the first or last of the calendar where the time zone puts it outside. */
function dayOf(instant: string): string {
  const day = `(${instant} AT TIME ZONE $3::text)::date`;
  return `CASE WHEN ${instant} IS NOT NULL THEN least(greatest(${day}, date '0001-01-01'), date '9999-12-31') END`;
}

/**
 * Days on which each series is expected within the span. They are counted from the anchor, so that the 31st returns after
 * a shorter month, and 29 February after three years. One more than the bound shows that there are too many.
 */
const OCCURRENCES = `SELECT d.day, r.*
  FROM span p CROSS JOIN recorded r
  JOIN (VALUES ${STEP_ROWS.join(', ')}) f(bits, step, days) ON f.bits = r.facets & ${frequency.mask}
  CROSS JOIN LATERAL (SELECT greatest(p.first, r.latest + 1) AS first) w
  CROSS JOIN LATERAL generate_series(floor((w.first - r.anchor) / f.days), (p.last - r.anchor) / f.days + 1) k
  CROSS JOIN LATERAL (SELECT (r.anchor + k * f.step)::date AS day) d
  WHERE r.age = 1 AND r.facets & ${status.mask} <> ${status.of('CANCELLED')} AND d.day BETWEEN w.first AND p.last
  LIMIT ${MAX_OCCURRENCES + 1}`;

/** SQL over rows of an alias: the sums of the expenses and of the income. */
function sumsOf(alias: string): string {
  const sum = (name: 'EXPENSE' | 'INCOME'): string =>
    `coalesce(sum(${alias}.amount) FILTER (WHERE ${alias}.facets & ${type.mask} = ${type.of(name)}), 0.00)`;
  return `${sum('EXPENSE')} AS payable, ${sum('INCOME')} AS receivable`;
}

/** SQL: the amounts owed that meet the condition, by these columns. */
function owedOf(condition: string, by: string): string {
  const fields = fieldsOf(OwedByVendor).map((name) => `v."${name}"`);
  return `SELECT CASE WHEN count(*) <= ${MAX_VENDORS} THEN (SELECT row_to_json(w)::text FROM (
      SELECT coalesce(sum(v.payable), 0.00) AS payable, coalesce(sum(v.receivable), 0.00) AS receivable,
             coalesce(json_agg(${jsonOf(fields)} ORDER BY v."dueOn", v.vendor COLLATE "C"), '[]') AS vendors) w) END
    FROM (SELECT min(o.day) AS "dueOn", o.vendor, ${sumsOf('o')}, count(*) AS transactions
            FROM owed o CROSS JOIN span p WHERE ${condition} GROUP BY ${by}) v`;
}

const OCCURRENCE = [
  `to_char(c.day, 'YYYY-MM-DD') AS date`,
  ...['c.id AS "transactionId"', 'c.property_id AS "propertyId"', 'o.name AS "propertyName"'],
  `${type.valueOf(`(c.facets & ${type.mask})`)} AS type`,
  `${category.valueOf(`(c.facets & ${category.mask})`)} AS category`,
  `${frequency.valueOf(`(c.facets & ${frequency.mask})`)} AS frequency`,
  ...['c.description', 'c.vendor', 'c.amount'],
];
const UPCOMING = `SELECT CASE WHEN count(*) <= ${MAX_OCCURRENCES} THEN (SELECT row_to_json(w)::text FROM (
      SELECT ${sumsOf('c')}, coalesce(json_agg(${jsonOf(OCCURRENCE)} ORDER BY c.day, c.id), '[]') AS occurrences) w) END
  FROM occurrences c LEFT JOIN properties o ON o.owner_id = $1 AND o.id = c.property_id`;

/** $1 owner, $2 property, $3 time zone, $4 first day, $5 months. One statement sees one moment: nothing is paid and owed. */
export const CASH_FLOW = `WITH span AS MATERIALIZED (SELECT s.first,
      least((s.first + make_interval(months => $5::integer))::date - 1, date '9999-12-31') AS last
      FROM (SELECT coalesce($4::date, (now() AT TIME ZONE $3::text)::date) AS first) s),
  owed AS MATERIALIZED (SELECT t.vendor, t.facets, t.amount, ${OVERDUE} AS overdue,
      ${dayOf('t.due_date')} AS day ${ROWS} AND ${OPEN}),
  recorded AS (${RECORDED}),
  occurrences AS MATERIALIZED (${OCCURRENCES})
  SELECT to_char(s.first, 'YYYY-MM-DD') AS from, to_char(s.last, 'YYYY-MM-DD') AS to,
         (${owedOf('o.overdue', 'o.vendor')}) AS overdue,
         (${owedOf('NOT o.overdue AND (o.day IS NULL OR o.day <= p.last)', 'o.vendor, o.day')}) AS due,
         (${UPCOMING}) AS upcoming
    FROM span s`;
