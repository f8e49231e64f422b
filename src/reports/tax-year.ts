import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BoundStatement } from '../database/database.js';
import { decimalText } from '../http/json/decimal.js';
import { jsonList, jsonObject, JsonText } from '../http/json/exact-json.js';
import { CATEGORIES, type Category } from '../transactions/transaction.enums.js';
import type { Figure } from './books.js';
import { profitAndLoss, type ProfitAndLossRow } from './profit-and-loss.queries.js';
import type { TaxYearQuery } from './reports.dto.js';
import { SCHEDULE_E, type ScheduleELines } from './schedule-e.js';

export const MAX_PROPERTIES = 500;
/** The categories of each property and their sum, of one property too many, and the total. */
const MAX_ROWS = (MAX_PROPERTIES + 1) * (CATEGORIES.length + 1) + 1;
const RENTS = 3;
/** Sheets that are filled in before other requests have their turn. */
const SHEETS_AT_ONCE = 50;

/** Notes on categories that are often taken for deductible or for income. */
const NOTES: Partial<Record<Category, string>> = {
  SECURITY_DEPOSIT: 'A liability as long as it may have to be given back.',
  MORTGAGE: 'Holds interest and principal: the interest alone is deductible, on line 12.',
  FURNISHING: 'Is capitalised as a rule: its depreciation is deductible, on line 18.',
};

export function taxYear(ownerId: string, { year, ...query }: TaxYearQuery): BoundStatement {
  const digits = String(year).padStart(4, '0');
  const period = { from: `${digits}-01-01`, to: `${digits}-12-31` };
  return profitAndLoss(ownerId, { ...query, ...period, groupBy: ['property', 'category'] }, MAX_ROWS);
}

/** TaxSheet: the form, filled in with the sums of the categories. */
export function taxSheet(
  rows: readonly ProfitAndLossRow[],
  lineOf: ScheduleELines,
): Record<string, JsonText> {
  const sum = (isIn: (category: Category) => boolean, ...figures: Figure[]): bigint =>
    rows
      .filter(({ category }) => isIn(category as Category))
      .flatMap((row) => figures.map((figure) => BigInt(row[figure].replace('.', ''))))
      .reduce((total, cents) => total + cents, 0n);
  let totalExpenses = 0n;
  const lines = SCHEDULE_E.map(([line, label]) => {
    const categories = CATEGORIES.filter((category) => lineOf[category] === line);
    const net = sum((category) => lineOf[category] === line, 'net');
    // Income adds to the rents, and expenses to the other lines; the opposite is taken off.
    if (line !== RENTS) totalExpenses -= net;
    return jsonObject({ line, label, amount: money(line === RENTS ? net : -net), categories });
  });
  const net = sum((category) => lineOf[category] !== null, 'net');
  const apart = CATEGORIES.filter((category) => lineOf[category] === null).toSorted();
  const noted = apart.flatMap((category) => {
    const income = sum((one) => one === category, 'income', 'depositsReceived');
    const expenses = sum((one) => one === category, 'expenses', 'depositsReturned');
    if (income + expenses === 0n) return [];
    const note = NOTES[category] ?? null;
    return jsonObject({ category, income: money(income), expenses: money(expenses), note });
  });
  return {
    lines: jsonList(lines),
    totalExpenses: money(totalExpenses),
    net: money(net),
    apart: jsonList(noted),
  };
}

/** TaxSheetOfProperty, for each property: its categories come before their sum. */
export async function taxSheets(
  rows: readonly ProfitAndLossRow[],
  lineOf: ScheduleELines,
): Promise<JsonText[]> {
  const sheets: JsonText[] = [];
  let own: ProfitAndLossRow[] = [];
  for (const row of rows) {
    if (row.rest === 0) own.push(row);
    if (row.rest !== 1) continue;
    if (sheets.length % SHEETS_AT_ONCE === 0) await nextTurn();
    const property = { propertyId: new JsonText(row.propertyId), propertyName: row.propertyName };
    sheets.push(jsonObject({ ...taxSheet(own, lineOf), ...property }));
    own = [];
  }
  return sheets;
}

function money(cents: bigint): JsonText {
  return new JsonText(decimalText(cents, 2));
}
