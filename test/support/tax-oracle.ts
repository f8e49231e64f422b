import { decimalOf, type Entry, profitAndLossOf } from './books-oracle.js';

/** The lines of docs/api.md. */
export const FORM: Record<number, string> = {
  3: 'BOOKING_PAYMENT CLEANING_FEE LATE_CHECKOUT_FEE ADDITIONAL_GUEST_FEE OTHER_INCOME',
  ...{ 5: 'MARKETING', 6: '', 7: 'CLEANING MAINTENANCE', 8: 'PLATFORM_FEES', 9: 'INSURANCE' },
  ...{ 10: 'LEGAL_PROFESSIONAL', 11: 'PROPERTY_MANAGEMENT', 12: '', 13: '', 14: 'REPAIRS', 15: 'SUPPLIES' },
  ...{ 16: 'PROPERTY_TAX TAXES', 17: 'UTILITIES', 18: '', 19: 'OTHER_EXPENSE HOA_FEES PERMITS_LICENSES' },
};

/** Amounts by line, and the categories on no line, as decimals. */
export interface TaxSheet {
  readonly amounts: Readonly<Record<string, string>>;
  readonly totalExpenses: string;
  readonly net: string;
  readonly apart: readonly Readonly<Record<'category' | 'income' | 'expenses', string>>[];
}

const centsOf = (decimal: string): bigint => BigInt(decimal.replace('.', ''));

/** Line by line from the sums of the categories. */
export function sheetOf(
  entries: readonly Entry[],
  asked: { basis: string; timeZone: string },
  year: number,
): TaxSheet {
  const period = { from: `${year}-01-01`, to: `${year}-12-31`, groupBy: ['category'], ...asked };
  const groups = new Map(profitAndLossOf(entries, period).groups.map(({ key, figures }) => [key, figures]));
  const figure = (category: string, name: string): bigint => centsOf(groups.get(category)?.[name] ?? '0.00');
  const amounts = Object.entries(FORM).map(([line, categories]) => {
    const nets = categories.split(' ').map((category) => figure(category, 'net'));
    const net = nets.reduce((sum, cents) => sum + cents, 0n);
    return [Number(line), line === '3' ? net : -net] as const;
  });
  const expenses = amounts.slice(1).reduce((sum, [, cents]) => sum + cents, 0n);
  return {
    amounts: Object.fromEntries(amounts.map(([line, cents]) => [line, decimalOf(cents)])),
    totalExpenses: decimalOf(expenses),
    net: decimalOf(amounts[0]![1] - expenses),
    apart: ['FURNISHING', 'MORTGAGE', 'SECURITY_DEPOSIT'].flatMap((category) => {
      const income = figure(category, 'income') + figure(category, 'depositsReceived');
      const spent = figure(category, 'expenses') + figure(category, 'depositsReturned');
      return income + spent > 0n ? [{ category, income: decimalOf(income), expenses: decimalOf(spent) }] : [];
    }),
  };
}
