import fc from 'fast-check';
import { parse } from 'lossless-json';
import { expectFaults } from './support/responses.js';
import { CATEGORIES, STATUSES, TYPES } from './support/contract.js';
import { createProperty } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

const LEVELS = ['property', 'category', 'month', 'quarter', 'year'];
/** Half an hour of daylight saving, a quarter of an hour's offset, clocks that are set back at the midnight a month begins. */
const ZONES = [
  ...['UTC', 'Europe/Lisbon', 'America/Los_Angeles', 'America/Havana', 'Australia/Lord_Howe'],
  ...['Asia/Kathmandu', 'Asia/Kolkata', 'Pacific/Apia', 'Pacific/Kiritimati', 'Atlantic/Azores'],
];

/** About the first hours of months, where zones and daylight saving decide. */
const instant = fc
  .tuple(
    fc.integer({ min: 0, max: 35 }),
    fc.oneof(fc.integer({ min: -16 * 60, max: 16 * 60 }), fc.integer({ min: 0, max: 28 * 24 * 60 })),
    fc.constantFrom(0, 1, 59_999),
  )
  .map(([month, minutes, ms]) => new Date(Date.UTC(2024, month) + minutes * 60_000 + ms).toISOString());
const entry = fc.record({
  property: fc.nat(2),
  type: fc.constantFrom(...TYPES),
  category: fc.constantFrom('SECURITY_DEPOSIT', ...CATEGORIES),
  status: fc.constantFrom(...STATUSES),
  cents: fc.oneof(fc.bigInt(1n, 1_000_000n), fc.bigInt(1n, 9_999_999_999_999_999_999n)),
  date: instant,
  paidAt: fc.option(instant),
});
const [min, max] = [new Date('2023-12-30'), new Date('2027-01-02')];
const days = fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
const anyQuery = fc.record({
  from: fc.option(days, { nil: undefined }),
  to: fc.option(days, { nil: undefined }),
  property: fc.option(fc.nat(2), { nil: undefined, freq: 3 }),
  groupBy: fc
    .subarray(LEVELS, { maxLength: 2 })
    .chain((some) => fc.shuffledSubarray(some, { minLength: some.length })),
  basis: fc.constantFrom('accrual', 'cash'),
  timeZone: fc.constantFrom(...ZONES),
});

/** A transaction as the reports see it. */
type Entry = typeof entry extends fc.Arbitrary<infer Value> ? Value : never;
type Query = typeof anyQuery extends fc.Arbitrary<infer Value> ? Value : never;

/** Figure → cents. */
type Figures = Readonly<Record<string, bigint>>;

const FIGURES = [
  ...['income', 'expenses', 'net', 'refundedIncome', 'refundedExpenses'],
  ...['depositsReceived', 'depositsReturned', 'depositsHeld'],
];

/**
 * The report of docs/api.md, entry by entry: slow, and nothing in common with the service's statement. Its rows are the
 * total and the groups in their order, each under the path of its keys; the key of a property is its number.
 */
function profitAndLossOf(entries: readonly Entry[], request: Query): [path: string, Figures][] {
  const { from = '0000', to = '9999-12-31', property, basis, timeZone, groupBy } = request;
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

/** What is PAID on no day, in the period by `date`; null on the accrual basis. */
function paidWithoutDateOf(entries: readonly Entry[], request: Query): Figures | null {
  if (request.basis === 'accrual') return null;
  const byDate = { ...request, basis: 'accrual' as const, groupBy: [] };
  const undated = entries.filter(({ status, paidAt }) => status === 'PAID' && paidAt === null);
  const pennies = undated.map((entry) => ({ ...entry, type: 'INCOME', category: 'TAXES', cents: 1n }));
  const [[, { income, expenses }], [, { income: count }]] = [undated, pennies].map(
    (some) => profitAndLossOf(some, byDate)[0]!,
  ) as [[string, Figures], [string, Figures]];
  return { count: count!, income: income!, expenses: expenses! };
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
async function storeEntries(service: Service, owner: Account, entries: readonly Entry[]): Promise<number[]> {
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

interface Read {
  readonly total: Record<string, string>;
  readonly paidWithoutDate: Record<string, string> | null;
  readonly groups: readonly { readonly groups?: readonly Record<string, unknown>[] }[];
}

/** As the oracle has them. */
const figuresIn = (row: Record<string, unknown>): Figures => {
  const figures = Object.entries(row).filter(([name]) => ['count', ...FIGURES].includes(name));
  return Object.fromEntries(figures.map(([name, text]) => [name, BigInt(String(text).replace('.', ''))]));
};

function rowsOf({ total, groups }: Read, ids: number[], groupBy: readonly string[]): [string, Figures][] {
  const keyOf = (group: Record<string, unknown>, depth: number): string => {
    const { propertyId, propertyName, category, period } = group;
    const property = ids.indexOf(Number(propertyId));
    expect(propertyName).toBe(['First', 'Second', 'Third'][property] ?? null);
    return String({ property, category }[groupBy[depth]!] ?? period);
  };
  const below = groups.flatMap((group): [string, Figures][] => {
    const key = keyOf(group, 0);
    const parts = (group.groups ?? []).map((part): [string, Figures] => {
      return [`${key}/${keyOf(part, 1)}`, figuresIn(part)];
    });
    return [[key, figuresIn(group)], ...parts];
  });
  return [['', figuresIn(total)], ...below];
}

it('GET /api/reports/profit-and-loss answers the sums of adding up one by one, by two levels, in any zone, to the cent', async () => {
  const service = await startService();
  const entries = fc.array(entry, { maxLength: 80, size: 'max' });
  const queries = fc.array(anyQuery, { minLength: 6, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(entries, queries, async (stored, requests) => {
      const caller = await service.account();
      const ids = await storeEntries(service, caller, stored);
      for (const request of requests) {
        const { from, to, property, groupBy, ...others } = request;
        const levels = groupBy.length === 0 ? undefined : groupBy.join();
        const propertyId = property === undefined ? undefined : String(ids[property]);
        const given = Object.entries({ ...others, from, to, propertyId, groupBy: levels });
        const query = given
          .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`))
          .join('&');
        const response = await caller.get(`/api/reports/profit-and-loss?${query}`);
        if (from !== undefined && to !== undefined && from > to) expectFaults(response, 'to');
        else {
          const report = parse(response.text, undefined, (digits) => digits) as Read;
          expect(rowsOf(report, ids, groupBy)).toEqual(profitAndLossOf(stored, request));
          const undated = report.paidWithoutDate && figuresIn(report.paidWithoutDate);
          expect(undated).toEqual(paidWithoutDateOf(stored, request));
        }
      }
    }),
    { numRuns: 12, seed: 20_260_115 },
  );
}, 120_000);
