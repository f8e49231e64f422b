import type { BoundStatement } from '../database/database.js';
import { jsonOf } from '../database/json-view.js';
import { decimalText } from '../http/json/decimal.js';
import { jsonList, jsonObject, JsonText } from '../http/json/exact-json.js';
import { FACETS } from '../transactions/facets.js';
import { CATEGORIES, type Category } from '../transactions/transaction.enums.js';
import { sums, valuesOf } from './profit-and-loss.queries.js';
import type { TaxYearQuery } from './reports.dto.js';
import { SCHEDULE_E, type ScheduleELines } from './schedule-e.js';

export const MAX_PROPERTIES = 500;
const RENTS = 3;

/** Notes on categories that are often taken for deductible or for income. */
const NOTES: Partial<Record<Category, string>> = {
  SECURITY_DEPOSIT: 'A liability as long as it may have to be given back.',
  MORTGAGE: 'Holds interest and principal: the interest alone is deductible, on line 12.',
  FURNISHING: 'Is capitalised as a rule: its depreciation is deductible, on line 18.',
};

/** The sums of the categories of a property or, in the last row, of all together. */
export interface TaxRow {
  readonly propertyId: string | null;
  readonly propertyName: string | null;
  readonly sums: readonly CategorySums[];
}

/** Texts with two decimals; deposits are part of income and expenses. */
interface CategorySums {
  readonly category: Category;
  readonly net: string;
  readonly income: string;
  readonly expenses: string;
}

export function taxYear(ownerId: string, { year, ...query }: TaxYearQuery): BoundStatement {
  const digits = String(year).padStart(4, '0');
  const values = valuesOf(ownerId, { ...query, from: `${digits}-01-01`, to: `${digits}-12-31` });
  const ofCategory = jsonOf([
    `${FACETS.category.valueOf('s.key1')} AS category`,
    's.net::text',
    '(s.income + s."depositsReceived")::text AS income',
    '(s.expenses + s."depositsReturned")::text AS expenses',
  ]);
  const groupBy = ['property', 'category'] as const;
  const text = `${sums({ ...query, groupBy }, 'GROUP BY GROUPING SETS ((key0, key1), (key1))')}
    SELECT s.key0 AS "propertyId", o.name AS "propertyName", json_agg(${ofCategory} ORDER BY s.key1) AS sums
      FROM sums s LEFT JOIN properties o ON o.owner_id = $1 AND o.id = s.key0
     GROUP BY 1, 2 ORDER BY 1 NULLS LAST LIMIT ${MAX_PROPERTIES + 2}`;
  return { statement: { text }, values };
}

/** TaxSheet: the form, filled in with the sums of the categories. */
export function taxSheet(sums: readonly CategorySums[], lineOf: ScheduleELines): Record<string, JsonText> {
  const netOf = (isIn: (line: number | null) => boolean): bigint =>
    sums
      .filter(({ category }) => isIn(lineOf[category]))
      .reduce((total, { net }) => total + BigInt(net.replace('.', '')), 0n);
  // Income adds to the rents, and expenses to the other lines; the opposite is taken off.
  const lines = SCHEDULE_E.map(([line, label]) => {
    const net = netOf((one) => one === line);
    const categories = CATEGORIES.filter((category) => lineOf[category] === line);
    return jsonObject({ line, label, amount: money(line === RENTS ? net : -net), categories });
  });
  const apart = sums
    .filter(({ category, income, expenses }) => lineOf[category] === null && /[1-9]/.test(income + expenses))
    .map(({ category, income, expenses }) => {
      const note = NOTES[category] ?? null;
      return jsonObject({ category, income: new JsonText(income), expenses: new JsonText(expenses), note });
    });
  return {
    lines: jsonList(lines),
    totalExpenses: money(-netOf((line) => line !== null && line !== RENTS)),
    net: money(netOf((line) => line !== null)),
    apart: jsonList(apart),
  };
}

function money(cents: bigint): JsonText {
  return new JsonText(decimalText(cents, 2));
}
