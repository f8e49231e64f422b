import type { BoundStatement } from '../database/database.js';
import { jsonOf } from '../database/json-view.js';
import { FACETS } from '../transactions/transaction.enums.js';
import { CATEGORIES, type Category } from '../transactions/transaction.enums.js';
import { nameOf, PAID_WITHOUT_DATE, sums } from './profit-and-loss.js';
import type { TaxYearQuery } from './dto/reports.request.js';
import { SCHEDULE_E, type ScheduleELines } from './schedule-e.js';

export const MAX_PROPERTIES = 500;
const RENTS = 3;

/** Notes on categories that are often taken for deductible or for income. */
const NOTES: Partial<Record<Category, string>> = {
  SECURITY_DEPOSIT: 'A liability as long as it may have to be given back.',
  MORTGAGE: 'Holds interest and principal: the interest alone is deductible, on line 12.',
  FURNISHING: 'Is capitalised as a rule: its depreciation is deductible, on line 18.',
};

/** Sheets as JSON: one of all properties together, and a list of one a property, null when there are too many. */
export interface TaxYearRow {
  readonly total: string;
  readonly properties: string | null;
  /** Null on the accrual basis. */
  readonly paidWithoutDate: string | null;
}

export function taxYear(
  ownerId: string,
  { year, basis, propertyId, timeZone }: TaxYearQuery,
  lineOf: ScheduleELines,
): BoundStatement {
  const digits = String(year).padStart(4, '0');
  const values = [ownerId, propertyId, timeZone, `${digits}-01-01`, `${digits}-12-31`];
  const text = `${sums({ basis, groupBy: ['category', 'property'] })},
    sheets AS (SELECT s.key1 AS property, ${sheetOf(lineOf)} AS sheet
      FROM sums s GROUP BY 1 ORDER BY 1 NULLS FIRST LIMIT ${MAX_PROPERTIES + 2})
    SELECT min('{' || s.sheet || '}') FILTER (WHERE s.property IS NULL) AS total,
           CASE WHEN count(*) <= ${MAX_PROPERTIES + 1} THEN concat('[', string_agg(
             format('{%s,"propertyId":%s,"propertyName":%s}', s.sheet, s.property, to_json(${nameOf('s.property')})), ','
             ORDER BY s.property) FILTER (WHERE s.property IS NOT NULL), ']') END AS properties,
           (SELECT ${PAID_WITHOUT_DATE} FROM sums s WHERE s.rest = 3)::text AS "paidWithoutDate"
      FROM sheets s`;
  return { statement: { text }, values };
}

/** SQL over the sums `s` of the categories: the members of a TaxSheet. */
function sheetOf(lineOf: ScheduleELines): string {
  const isOn = (...lines: (number | null)[]): string => {
    const categories = CATEGORIES.filter((category) => lines.includes(lineOf[category]));
    return `s.key0 = ANY ('{${categories.map((category) => FACETS.category.of(category)).join()}}'::integer[])`;
  };
  const netOf = (...lines: number[]): string => `coalesce(sum(s.net) FILTER (WHERE ${isOn(...lines)}), 0.00)`;
  const category = FACETS.category.valueOf('s.key0');
  // Rents add income and subtract expenses; the other lines do the opposite.
  const lines = SCHEDULE_E.map(([line, label]) => {
    const categories = CATEGORIES.filter((category) => lineOf[category] === line);
    const [head, rest] = [{ line, label }, { categories }].map((part) => JSON.stringify(part).slice(1, -1));
    const sign = line === RENTS ? '' : '-';
    const item = jsonOf([`${category} AS category`, `${sign}s.net AS amount`]);
    const items = `coalesce(json_agg(${item} ORDER BY s.key0) FILTER (WHERE ${isOn(line)} AND s.net <> 0), '[]')`;
    return `'{${head},"amount":' || ${sign}${netOf(line)} || ',${rest},"items":' || ${items} || '}'`;
  });
  const all = SCHEDULE_E.map(([line]) => line);
  const [income, expenses] = ['s.income + s."depositsReceived"', 's.expenses + s."depositsReturned"'];
  const note = `'${JSON.stringify(NOTES)}'::json ->> ${category}`;
  const apart = Object.entries({ category, income, expenses, note }).map(
    ([name, sql]) => `${sql} AS ${name}`,
  );
  return `'"lines":[' || ${lines.join(` || ',' || `)}
    || '],"totalExpenses":' || -${netOf(...all.filter((line) => line !== RENTS))} || ',"net":' || ${netOf(...all)}
    || ',"apart":' || coalesce(json_agg(${jsonOf(apart)} ORDER BY s.key0)
                                 FILTER (WHERE ${isOn(null)} AND (${income} > 0 OR ${expenses} > 0)), '[]')`;
}
