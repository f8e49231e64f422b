import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'lossless-json';
import { bodyOf, expectFaults, expectProblem } from './support/answers.js';
import { storeEntries } from './support/book-entries.js';
import type { Entry } from './support/books-oracle.js';
import type { Answer } from './support/client.js';
import { CATEGORIES, STATUSES, TYPES } from './support/contract.js';
import { createProperty, createTransaction } from './support/factories.js';
import { Random } from './support/random.js';
import { type Account, type Service, startService } from './support/service.js';
import { FORM, sheetOf } from './support/tax-oracle.js';

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
    expectFaults(await owner.get(PATH), 'year');
    expectFaults(
      await owner.get(`${PATH}?year=0&form=1040&basis=x&timeZone=EST&propertyId=-`),
      ...['year', 'form', 'basis', 'timeZone', 'propertyId'],
    );
    for (const year of ['', '10000', '2026.0', '26a', '-1'])
      expectFaults(await owner.get(`${PATH}?year=${year}`), 'year');
  });

  it('answers an ADMIN for the named property, and a stranger 404', async () => {
    const { id } = await createProperty(owner);
    await createTransaction(owner, id, { paidAt: '2026-01-01T00:00:00Z', amount: 3 });
    const admin = await service.account('ADMIN');
    expect((await admin.get(`${PATH}?year=2026&propertyId=${id}`)).json).toMatchObject({ total: { net: 3 } });
    expect((await admin.get(`${PATH}?year=2026`)).json).toMatchObject({ properties: [] });
    const stranger = await service.account();
    expectProblem(await stranger.get(`${PATH}?year=2026&propertyId=${id}`), 404, 'not-found');
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
