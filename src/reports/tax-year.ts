import { ConfigurationError } from '../config/env.js';
import { contentOf } from '../config/variables.js';
import { jsonOf } from '../database/json-view.js';
import { CATEGORIES, type Category, FACETS } from '../transactions/transaction.enums.js';
import type { TaxYearQuery } from './dto/reports.request.js';
import { nameOf, PAID_WITHOUT_DATE, sums } from './profit-and-loss.js';

const RENTS = 3;
const FEES = ['CLEANING_FEE', 'LATE_CHECKOUT_FEE', 'ADDITIONAL_GUEST_FEE'] as const;

/** The lines of Part I of Schedule E (Form 1040) that a report fills in, in their order, with the categories of each. */
const SCHEDULE_E: readonly (readonly [line: number, label: string, ...categories: Category[]])[] = [
  [RENTS, 'Rents received', 'BOOKING_PAYMENT', 'OTHER_INCOME', ...FEES],
  [5, 'Advertising', 'MARKETING'],
  [6, 'Auto and travel'],
  [7, 'Cleaning and maintenance', 'CLEANING', 'MAINTENANCE'],
  [8, 'Commissions', 'PLATFORM_FEES'],
  [9, 'Insurance', 'INSURANCE'],
  [10, 'Legal and other professional fees', 'LEGAL_PROFESSIONAL'],
  [11, 'Management fees', 'PROPERTY_MANAGEMENT'],
  [12, 'Mortgage interest paid to banks, etc.'],
  [13, 'Other interest'],
  [14, 'Repairs', 'REPAIRS'],
  [15, 'Supplies', 'SUPPLIES'],
  [16, 'Taxes', 'PROPERTY_TAX', 'TAXES'],
  [17, 'Utilities', 'UTILITIES'],
  [18, 'Depreciation expense or depletion'],
  [19, 'Other', 'OTHER_EXPENSE', 'HOA_FEES', 'PERMITS_LICENSES'],
];

/** Category → its line; null where no line takes it as it is. */
export type ScheduleELines = Readonly<Record<Category, number | null>>;

const LINES = Object.fromEntries(
  CATEGORIES.map((category) => [category, SCHEDULE_E.find((row) => row.includes(category))?.[0] ?? null]),
) as ScheduleELines;

/** Lines of SCHEDULE_E_LINES, a JSON object or a file with one, over those above. Throws {@link ConfigurationError}. */
export function scheduleELines(setting: string): ScheduleELines {
  try {
    const given = setting.trim().startsWith('{') ? setting : contentOf(setting);
    return { ...LINES, ...checked(JSON.parse(given)) };
  } catch (error) {
    const fault =
      error instanceof SyntaxError
        ? 'must be a JSON object such as {"MORTGAGE": 12}, or name a file with one'
        : (error as Error).message;
    throw new ConfigurationError([`SCHEDULE_E_LINES ${fault}`]);
  }
}

function checked(given: unknown): Partial<ScheduleELines> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new SyntaxError();
  for (const [index, [category, line]] of Object.entries(given).entries()) {
    if (!Object.hasOwn(LINES, category))
      throw new Error(`has a name that is no category (number ${index + 1}): docs/api.md lists them all`);
    if (line !== null && !SCHEDULE_E.some(([own]) => own === line))
      throw new Error(`gives ${category} a line that the form does not have: it takes 3, 5 to 19, or null`);
    if (category === 'SECURITY_DEPOSIT' && line !== null)
      throw new Error('gives SECURITY_DEPOSIT a line: a deposit is a liability, and takes null alone');
  }
  return given;
}

export const MAX_PROPERTIES = 500;

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

/** SQL: one {@link TaxYearRow}. Its parameters are those of {@link sums}. */
export function taxYear(basis: TaxYearQuery['basis'], lineOf: ScheduleELines): string {
  return `${sums({ basis, groupBy: ['category', 'property'] })},
    sheets AS (SELECT s.key1 AS property, ${sheetOf(lineOf)} AS sheet
      FROM sums s GROUP BY 1 ORDER BY 1 NULLS FIRST LIMIT ${MAX_PROPERTIES + 2})
    SELECT min('{' || s.sheet || '}') FILTER (WHERE s.property IS NULL) AS total,
           CASE WHEN count(*) <= ${MAX_PROPERTIES + 1} THEN concat('[', string_agg(
             format('{%s,"propertyId":%s,"propertyName":%s}', s.sheet, s.property, to_json(${nameOf('s.property')})), ','
             ORDER BY s.property) FILTER (WHERE s.property IS NOT NULL), ']') END AS properties,
           (SELECT ${PAID_WITHOUT_DATE} FROM sums s WHERE s.rest = 3)::text AS "paidWithoutDate"
      FROM sheets s`;
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
  const apart = Object.entries({ category, income, expenses, note }).map(([key, sql]) => `${sql} AS ${key}`);
  return `'"lines":[' || ${lines.join(` || ',' || `)}
    || '],"totalExpenses":' || -${netOf(...all.filter((line) => line !== RENTS))} || ',"net":' || ${netOf(...all)}
    || ',"apart":' || coalesce(json_agg(${jsonOf(apart)} ORDER BY s.key0)
                                 FILTER (WHERE ${isOn(null)} AND (${income} > 0 OR ${expenses} > 0)), '[]')`;
}
