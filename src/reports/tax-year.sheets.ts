import { setImmediate as nextTurn } from 'node:timers/promises';
import { Decimal } from '../http/json/decimal.js';
import { jsonObject, JsonText } from '../http/json/exact-json.js';
import { CATEGORIES, type Category } from '../transactions/transaction.enums.js';
import { SCHEDULE_E, type ScheduleELines } from './schedule-e.js';
import type { TaxYearRow } from './tax-year.queries.js';

const RENTS = 3;
/** Sheets that are filled in before other requests have their turn. */
const SHEETS_AT_ONCE = 50;

/** Notes on categories that are often taken for deductible or for income. */
const NOTES: Partial<Record<Category, string>> = {
  SECURITY_DEPOSIT: 'A liability as long as it may have to be given back.',
  MORTGAGE: 'Holds interest and principal: the interest alone is deductible, on line 12.',
  FURNISHING: 'Is capitalised as a rule: its depreciation is deductible, on line 18.',
};

/** TaxSheet: the form, filled in with the sums of the categories. */
export function taxSheet(rows: readonly TaxYearRow[], categories: ScheduleELines): JsonText {
  return jsonObject(sheetOf(rows, categories));
}

/** TaxSheetOfProperty, for each property in the rows, which are in the order of the properties. */
export async function taxSheets(
  rows: readonly TaxYearRow[],
  categories: ScheduleELines,
): Promise<JsonText[]> {
  const properties = new Map<string, TaxYearRow[]>();
  for (const row of rows) properties.set(row.propertyId, [...(properties.get(row.propertyId) ?? []), row]);
  const sheets: JsonText[] = [];
  for (const [id, own] of properties) {
    if (sheets.length % SHEETS_AT_ONCE === 0) await nextTurn();
    const property = { propertyId: new JsonText(id), propertyName: own[0]?.propertyName };
    sheets.push(jsonObject({ ...sheetOf(own, categories), ...property }));
  }
  return sheets;
}

function sheetOf(rows: readonly TaxYearRow[], lineOf: ScheduleELines): Record<string, unknown> {
  const sums = new Map<string, bigint>();
  const sum = (name: string): bigint => sums.get(name) ?? 0n;
  const add = (name: string, amount: string): void =>
    void sums.set(name, sum(name) + BigInt(amount.replace('.', '')));
  for (const { category, net, income, expenses } of rows) {
    const line = lineOf[category];
    if (line !== null) add(`${line}`, net);
    else {
      add(`${category} in`, income);
      add(`${category} out`, expenses);
    }
  }
  let totalExpenses = 0n;
  const lines = SCHEDULE_E.map(([line, label]) => {
    // Income adds to the rents, and expenses to the other lines; the opposite is taken off.
    const amount = line === RENTS ? sum(`${line}`) : -sum(`${line}`);
    if (line !== RENTS) totalExpenses += amount;
    const categories = CATEGORIES.filter((category) => lineOf[category] === line);
    return jsonObject({ line, label, amount: money(amount), categories });
  });
  const apart = CATEGORIES.toSorted().flatMap((category) => {
    const [income, expenses] = [sum(`${category} in`), sum(`${category} out`)];
    if (lineOf[category] !== null || income + expenses === 0n) return [];
    return jsonObject({
      category,
      income: money(income),
      expenses: money(expenses),
      note: NOTES[category] ?? null,
    });
  });
  const net = sum(`${RENTS}`) - totalExpenses;
  return { lines: listOf(lines), totalExpenses: money(totalExpenses), net: money(net), apart: listOf(apart) };
}

function money(cents: bigint): JsonText {
  return new JsonText(new Decimal(cents < 0n, String(cents < 0n ? -cents : cents), 2).toText());
}

/** JSON of a list. */
export function listOf(objects: readonly JsonText[]): JsonText {
  return new JsonText(`[${objects.map(({ text }) => text).join(',')}]`);
}
