import { createProperty } from './factories.js';
import type { Account, Service } from './service.js';

/** A transaction as the reports see it. */
export interface Entry {
  readonly property: number;
  readonly type: string;
  readonly category: string;
  readonly status: string;
  readonly cents: bigint;
  readonly date: string;
  readonly paidAt: string | null;
}

export interface Asked {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly property?: number | undefined;
  readonly groupBy: readonly string[];
  readonly basis: string;
  readonly timeZone: string;
}

/** Figure → cents. */
export type Figures = Readonly<Record<string, bigint>>;

export const FIGURES = [
  ...['income', 'expenses', 'net', 'refundedIncome', 'refundedExpenses'],
  ...['depositsReceived', 'depositsReturned', 'depositsHeld'],
];

/**
 * The report of docs/api.md, entry by entry: slow, and nothing in common with the service's statement. Its rows are the
 * total and the groups in their order, each under the path of its keys; the key of a property is its number.
 */
export function profitAndLossOf(entries: readonly Entry[], asked: Asked): [path: string, Figures][] {
  const { from = '0000', to = '9999-12-31', property, basis, timeZone, groupBy } = asked;
  const rows = new Map([['', figuresOf([])]]);
  const byPath = new Map<string, Entry[]>();
  for (const entry of entries) {
    const time = basis === 'cash' ? entry.paidAt : entry.date;
    if (time === null || entry.status === 'CANCELLED') continue;
    const day = dayOf(time, timeZone);
    if (day < from || day > to || (property !== undefined && property !== entry.property)) continue;
    const keys = groupBy.map((level) => keyOf(entry, day, level));
    for (let depth = 0; depth <= keys.length; depth++) {
      const path = keys.slice(0, depth).join('/');
      byPath.set(path, [...(byPath.get(path) ?? []), entry]);
    }
  }
  for (const [path, own] of byPath) rows.set(path, figuresOf(own));
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
}

function keyOf({ property, category }: Entry, day: string, level: string): string {
  const [year = '', month = ''] = day.split('-');
  const quarter = `${year}-Q${Math.ceil(Number(month) / 3)}`;
  return { property: String(property), category, year, month: `${year}-${month}`, quarter }[level]!;
}

function figuresOf(entries: readonly Entry[]): Figures {
  const sums = Object.fromEntries(FIGURES.map((name) => [name, 0n]));
  for (const entry of entries)
    for (const [name, factor] of Object.entries(effectOf(entry)))
      sums[name] = sums[name]! + BigInt(factor) * entry.cents;
  return sums;
}

/** Figure → how often the amount adds to it. */
function effectOf({ type, category, status }: Entry): Record<string, number> {
  const [isIncome, isRefunded] = [type === 'INCOME', status === 'REFUNDED'];
  if (category === 'SECURITY_DEPOSIT') {
    if (isRefunded) return { depositsReceived: 1, depositsReturned: 1 };
    return isIncome ? { depositsReceived: 1, depositsHeld: 1 } : { depositsReturned: 1, depositsHeld: -1 };
  }
  if (isRefunded) return isIncome ? { refundedIncome: 1 } : { refundedExpenses: 1 };
  return isIncome ? { income: 1, net: 1 } : { expenses: 1, net: -1 };
}

/** The day that the clocks of a zone show, as JavaScript knows them. */
function dayOf(instant: string, timeZone: string): string {
  const options = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('en-CA', options).format(new Date(instant));
}

/** Makes three properties, and puts the entries into the table, past the service. Returns the properties' ids. */
export async function storeEntries(
  service: Service,
  owner: Account,
  entries: readonly Entry[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const name of ['First', 'Second', 'Third']) ids.push((await createProperty(owner, { name })).id);
  const rows = entries.map((entry) => ({ ...entry, cents: String(entry.cents) }));
  await service.sql(
    `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date, paid_at, status, recurring)
     SELECT $1, ($2::bigint[])[property + 1], '', type, category, '', cents * 0.01, date, "paidAt", status, false
       FROM jsonb_to_recordset($3) AS e(property integer, type text, category text, status text, cents numeric,
                                        date timestamptz, "paidAt" timestamptz)`,
    [owner.id, ids, JSON.stringify(rows)],
  );
  return ids;
}
