import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'lossless-json';
import { bodyOf, expectFaults } from './support/answers.js';
import { storeEntries } from './support/book-entries.js';
import { decimalOf, type Entry, profitAndLossOf } from './support/books-oracle.js';
import type { Answer } from './support/client.js';
import { CATEGORIES, STATUSES, TYPES } from './support/contract.js';
import { createProperty, createTransaction } from './support/factories.js';
import { Random } from './support/random.js';
import { type Account, type Service, startService } from './support/service.js';

const PATH = '/api/reports/tax-year';
interface Sheet {
  readonly lines: readonly { line: string; label: string; amount: string; categories: string[] }[];
  readonly totalExpenses: string;
  readonly net: string;
  readonly apart: readonly { category: string; income: string; expenses: string; note: string | null }[];
}

interface Report {
  readonly total: Sheet;
  readonly properties: readonly (Sheet & { propertyId: string; propertyName: string })[];
}

function reportOf(answer: Answer): Report {
  if (answer.status !== 200) throw new Error(`no report: ${answer.status} ${answer.text}`);
  return parse(answer.text, undefined, (digits) => digits) as Report;
}

function shapeOf({ lines, totalExpenses, net, apart }: Sheet): object {
  const amounts = Object.fromEntries(lines.map(({ line, amount }) => [line, amount]));
  const others = apart.map(({ category, income, expenses }) => ({ category, income, expenses }));
  return { amounts, totalExpenses, net, apart: others };
}

/** The lines of docs/api.md. */
const FORM: Record<number, string> = {
  3: 'BOOKING_PAYMENT CLEANING_FEE LATE_CHECKOUT_FEE ADDITIONAL_GUEST_FEE OTHER_INCOME',
  ...{ 5: 'MARKETING', 6: '', 7: 'CLEANING MAINTENANCE', 8: 'PLATFORM_FEES', 9: 'INSURANCE' },
  ...{ 10: 'LEGAL_PROFESSIONAL', 11: 'PROPERTY_MANAGEMENT', 12: '', 13: '', 14: 'REPAIRS', 15: 'SUPPLIES' },
  ...{ 16: 'PROPERTY_TAX TAXES', 17: 'UTILITIES', 18: '', 19: 'OTHER_EXPENSE HOA_FEES PERMITS_LICENSES' },
};

const centsOf = (decimal: string): bigint => BigInt(decimal.replace('.', ''));

/** Line by line from the sums of the categories. */
function sheetOf(
  entries: readonly Entry[],
  asked: { basis: string; timeZone: string },
  year: number,
): object {
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

describe('GET /api/reports/tax-year', () => {
  let service: Service;
  let owner: Account;
  beforeAll(async () => {
    service = await startService();
    owner = await service.account();
  });

  it.each([
    ['cash', 'UTC'],
    ['cash', 'America/Los_Angeles'],
    ['accrual', 'Pacific/Kiritimati'],
  ])('adds each category to its line, basis=%s, timeZone=%s, to the cent', async (basis, timeZone) => {
    const random = new Random(7);
    const time = (): string =>
      new Date(Date.UTC(2025, 11, 28) + random.below(375 * 24) * 3_600_000).toISOString();
    const entries = Array.from({ length: 600 }, (_, index): Entry => ({
      property: random.below(3),
      type: random.pick(TYPES),
      category: CATEGORIES[index % CATEGORIES.length]!,
      status: random.pick(STATUSES),
      cents: BigInt(1 + random.below(1e9)) * 10n ** BigInt(random.below(10)),
      date: time(),
      paidAt: random.chance(0.5) ? time() : null,
    }));
    const caller = await service.account();
    const ids = await storeEntries(service, caller, entries);
    const { total, properties } = reportOf(
      await caller.get(`${PATH}?year=2026&basis=${basis}&timeZone=${timeZone}`),
    );
    const asked = { basis, timeZone };
    expect(shapeOf(total)).toEqual(sheetOf(entries, asked, 2026));
    const notes = Object.fromEntries(total.apart.map(({ category, note }) => [category, note]));
    expect(notes).toMatchObject({ MORTGAGE: expect.stringContaining('line 12') as string });
    const names = ['First', 'Second', 'Third'].map((name, index) => [String(ids[index]), name]);
    expect(properties.map(({ propertyId, propertyName }) => [propertyId, propertyName])).toEqual(names);
    for (const [index, sheet] of properties.entries()) {
      const own = entries.filter(({ property }) => property === index);
      expect(shapeOf(sheet)).toEqual(sheetOf(own, asked, 2026));
    }
    const { properties: alone, total: ofIt } = reportOf(
      await caller.get(`${PATH}?year=2026&basis=${basis}&timeZone=${timeZone}&propertyId=${ids[1]}`),
    );
    expect([alone, shapeOf(ofIt)]).toEqual([[properties[1]], shapeOf(properties[1]!)]);
  });

  it('answers every line with zeros, and its notes, for an account without transactions', async () => {
    const answer = await (await service.account()).get(`${PATH}?year=2026`);
    const lines = Object.entries(FORM).map(([line, categories]) => ({
      line: Number(line),
      label: expect.any(String) as string,
      amount: 0,
      categories: categories === '' ? [] : CATEGORIES.filter((it) => categories.split(' ').includes(it)),
    }));
    expect(answer.json).toEqual({
      ...{ form: 'schedule-e', year: 2026, basis: 'cash', timeZone: 'UTC', propertyId: null },
      notice: expect.stringContaining('not tax advice') as string,
      total: { lines, totalExpenses: 0, net: 0, apart: [] },
      properties: [],
    });
  });

  it('answers 400 with every faulty parameter', async () => {
    for (const year of [undefined, '', '0', '10000', '2026.0', '26a']) {
      const query = year === undefined ? '' : `?year=${year}`;
      expectFaults(await owner.get(PATH + query), 'year');
    }
    const others = ['form', 'basis', 'timeZone', 'propertyId'];
    expectFaults(await owner.get(`${PATH}?year=1&${others.map((name) => `${name}=x`).join('&')}`), ...others);
  });

  it('answers 200 for 500 properties, and 400 for one more', async () => {
    const caller = await service.account();
    const { id } = await createProperty(caller);
    await createTransaction(caller, id);
    const addProperties = (count: number): Promise<unknown> =>
      service.sql(
        `WITH more AS (INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
           SELECT $1, '', '', 1, 1, 1, 1, true FROM generate_series(1, $2::integer) RETURNING owner_id, id)
         INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date, status, recurring)
           SELECT owner_id, id, '', 'INCOME', 'OTHER_INCOME', '', 1, '2026-01-01', 'PAID', false FROM more`,
        [caller.id, count],
      );
    await addProperties(499);
    const report = await caller.get(`${PATH}?year=2026&basis=accrual`);
    expect(bodyOf(report)['properties']).toHaveLength(500);
    await addProperties(1);
    expectFaults(await caller.get(`${PATH}?year=2026&basis=accrual`), 'propertyId');
    expect((await caller.get(`${PATH}?year=2026&basis=accrual&propertyId=${id}`)).status).toBe(200);
  });

  it('adds the categories to the lines of SCHEDULE_E_LINES, given itself or as the name of a file', async () => {
    const lines = '{"MORTGAGE": 12, "FURNISHING": 18, "OTHER_INCOME": null}';
    const file = join(tmpdir(), `lines-${process.pid}.json`);
    writeFileSync(file, lines);
    for (const setting of [lines, file]) {
      const own = await startService({ SCHEDULE_E_LINES: setting });
      const caller = await own.account();
      const { id } = await createProperty(caller);
      for (const category of ['MORTGAGE', 'FURNISHING', 'OTHER_INCOME', 'TAXES'])
        await createTransaction(caller, id, { type: 'EXPENSE', category, amount: 10 });
      const { total } = reportOf(await caller.get(`${PATH}?year=2026&basis=accrual`));
      const filled = total.lines.filter(({ amount }) => amount !== '0.00').map(({ line }) => line);
      expect([filled, total.apart.map(({ category }) => category)]).toEqual([
        ['12', '16', '18'],
        ['OTHER_INCOME'],
      ]);
    }
  });
});
