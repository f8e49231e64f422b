import { createProperty } from './factories.js';
import { insert } from './search-rows.js';
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

export type Figures = Readonly<Record<string, string>>;
/** Its key is the property's number, the category or the period. */
export interface Group {
  readonly key: string;
  readonly figures: Figures;
  readonly groups: readonly Group[];
}

/** The report of docs/api.md, entry by entry: slow, and nothing in common with the service's statement. */
export function profitAndLossOf(entries: readonly Entry[], asked: Asked): Omit<Group, 'key'> {
  const { from = '0000', to = '9999-12-31', property, basis, timeZone, groupBy } = asked;
  const counted = entries.flatMap((entry) => {
    const time = basis === 'cash' ? entry.paidAt : entry.date;
    if (time === null || entry.status === 'CANCELLED') return [];
    const day = dayOf(time, timeZone);
    const isIn = day >= from && day <= to && (property === undefined || property === entry.property);
    return isIn ? [{ ...entry, day }] : [];
  });
  return grouped(counted, groupBy);
}

type Counted = Entry & { readonly day: string };

function grouped(entries: readonly Counted[], [level, ...others]: readonly string[]): Omit<Group, 'key'> {
  if (level === undefined) return { figures: figuresOf(entries), groups: [] };
  const byKey = new Map<string, Counted[]>();
  for (const entry of entries) {
    const key = keyOf(entry, level);
    byKey.set(key, [...(byKey.get(key) ?? []), entry]);
  }
  const order = [...byKey.keys()].sort((a, b) =>
    level === 'property' ? Number(a) - Number(b) : a < b ? -1 : 1,
  );
  const groups = order.map((key) => ({ key, ...grouped(byKey.get(key)!, others) }));
  return { figures: figuresOf(entries), groups };
}

function keyOf({ property, category, day }: Counted, level: string): string {
  const [year = '', month = ''] = day.split('-');
  if (level === 'property') return String(property);
  if (level === 'category') return category;
  if (level === 'year') return year;
  return level === 'month' ? `${year}-${month}` : `${year}-Q${Math.ceil(Number(month) / 3)}`;
}

function figuresOf(entries: readonly Entry[]): Figures {
  const sums = new Map<string, bigint>();
  const add = (name: string, cents: bigint): void => void sums.set(name, (sums.get(name) ?? 0n) + cents);
  for (const { type, category, status, cents } of entries) {
    const isIncome = type === 'INCOME';
    const isRefunded = status === 'REFUNDED';
    if (category === 'SECURITY_DEPOSIT') {
      if (isIncome || isRefunded) add('depositsReceived', cents);
      if (!isIncome || isRefunded) add('depositsReturned', cents);
    } else if (isRefunded) add(isIncome ? 'refundedIncome' : 'refundedExpenses', cents);
    else add(isIncome ? 'income' : 'expenses', cents);
  }
  const of = (name: string): bigint => sums.get(name) ?? 0n;
  const figures = {
    income: of('income'),
    expenses: of('expenses'),
    net: of('income') - of('expenses'),
    refundedIncome: of('refundedIncome'),
    refundedExpenses: of('refundedExpenses'),
    depositsReceived: of('depositsReceived'),
    depositsReturned: of('depositsReturned'),
    depositsHeld: of('depositsReceived') - of('depositsReturned'),
  };
  return Object.fromEntries(Object.entries(figures).map(([name, cents]) => [name, decimalOf(cents)]));
}

function decimalOf(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The day that the clocks of a zone show, as JavaScript knows them. */
function dayOf(instant: string, timeZone: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(timeZone, format);
  }
  const parts = format.formatToParts(new Date(instant));
  const of = (type: string): string => parts.find((part) => part.type === type)!.value;
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}`;
}

/** Makes three properties, and puts the entries into the table, past the service. Returns the properties' ids. */
export async function storeEntries(
  service: Service,
  owner: Account,
  entries: readonly Entry[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const name of ['First', 'Second', 'Third']) ids.push((await createProperty(owner, { name })).id);
  const common = { ownerId: owner.id, propertyName: '', description: '', recurring: false };
  const rows = entries.map(({ property, cents, ...fields }) => {
    return { ...common, ...fields, propertyId: ids[property], amount: decimalOf(cents) };
  });
  await insert(service, 'transactions', rows);
  return ids;
}
