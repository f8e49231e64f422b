import { parse } from 'lossless-json';
import { scheduleELines } from '../src/reports/tax-year.js';
import type { Category } from '../src/transactions/transaction.enums.js';
import type { HttpResponse } from './support/client.js';
import { CATEGORIES, STATUSES, TYPES } from './support/contract.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

const PATH = '/api/reports/tax-year';
type Item = Readonly<Record<'category' | 'amount', string>>;
interface Sheet {
  readonly lines: readonly {
    line: string;
    label: string;
    amount: string;
    categories: string[];
    items: Item[];
  }[];
  readonly totalExpenses: string;
  readonly net: string;
  readonly apart: readonly { category: string; income: string; expenses: string; note: string | null }[];
}

interface Report {
  readonly total: Sheet;
  readonly paidWithoutDate: Record<string, string> | null;
  readonly properties: readonly (Sheet & { propertyId: string; propertyName: string })[];
}

/** Every number as its digits. */
const parsed = (response: HttpResponse): unknown => parse(response.text, undefined, (digits) => digits);
const reportOf = (response: HttpResponse): Report => parsed(response) as Report;

const LINE_OF = scheduleELines('{}');
const LINES = [3, ...Array.from({ length: 15 }, (_, index) => index + 5)];

const centsOf = (decimal: string): bigint => BigInt(decimal.replace('.', ''));

/** The amounts of a sheet in cents. */
const shapeOf = ({ lines, totalExpenses, net, apart }: Sheet): object => ({
  amounts: lines.map(({ line, amount }) => [line, centsOf(amount)]),
  items: lines.flatMap(({ items }) => items.map(({ category, amount }) => [category, centsOf(amount)])),
  totalExpenses: centsOf(totalExpenses),
  net: centsOf(net),
  apart: apart.map(({ category, income, expenses }) => [category, centsOf(income), centsOf(expenses)]),
});

/** The same from the categories of a profit and loss. */
function sheetOf(groups: readonly Record<string, string>[]): object {
  const sum = (isIn: (category: Category) => boolean, ...figures: string[]): bigint =>
    groups
      .filter(({ category }) => isIn(category as Category))
      .flatMap((group) => figures.map((name) => centsOf(group[name]!)))
      .reduce((total, cents) => total + cents, 0n);
  const amounts = LINES.map((line) => {
    const net = sum((category) => LINE_OF[category] === line, 'net');
    return [String(line), line === 3 ? net : -net] as const;
  });
  const items = LINES.flatMap((line) =>
    CATEGORIES.filter((category) => LINE_OF[category as Category] === line)
      .toSorted()
      .flatMap((name) => {
        const net = sum((category) => category === name, 'net');
        return net === 0n ? [] : [[name, line === 3 ? net : -net]];
      }),
  );
  const totalExpenses = amounts.slice(1).reduce((total, [, cents]) => total + cents, 0n);
  const apart = (['FURNISHING', 'MORTGAGE', 'SECURITY_DEPOSIT'] as const).map((name) => {
    const of = (...figures: string[]): bigint => sum((category) => category === name, ...figures);
    return [name, of('income', 'depositsReceived'), of('expenses', 'depositsReturned')];
  });
  return { amounts, items, totalExpenses, net: amounts[0]![1] - totalExpenses, apart };
}

describe('GET /api/reports/tax-year', () => {
  let service: Service;
  let owner: Account;
  let ids: number[];
  beforeAll(async () => {
    service = await startService();
    owner = await service.account();
    ids = [];
    for (const name of ['First', 'Second']) ids.push((await createProperty(owner, { name })).id);
    const instants = ['2025-12-31T20:00Z', '2026-01-01T06:00Z', '2026-12-31T12:00Z', '2027-01-01T05:00Z'];
    await service.sql(
      `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date, paid_at, status, recurring)
       SELECT $1, p, '', t, c, '', 4503599627370.49 * row_number() OVER (), d, paid, s, false
         FROM unnest($2::bigint[]) p, unnest($3::text[]) t, unnest($4::text[]) c, unnest($5::text[]) s,
              unnest($6::timestamptz[]) d, unnest(ARRAY[d + interval '10 hours', NULL]) paid`,
      [owner.id, ids, TYPES, CATEGORIES, STATUSES, instants],
    );
  });

  it.each([
    'basis=cash&timeZone=UTC',
    'basis=cash&timeZone=America/Los_Angeles',
    'basis=accrual&timeZone=Pacific/Kiritimati',
  ])('adds the categories of the profit and loss to their lines with %s', async (form) => {
    const books = await owner.get(
      `/api/reports/profit-and-loss?from=2026-01-01&to=2026-12-31&groupBy=property,category&${form}`,
    );
    const { groups, paidWithoutDate } = parsed(books) as Pick<Report, 'paidWithoutDate'> & {
      groups: { groups: Record<string, string>[] }[];
    };
    const { total, properties, ...others } = reportOf(await owner.get(`${PATH}?year=2026&${form}`));
    expect([others.paidWithoutDate, paidWithoutDate === null]).toEqual([
      paidWithoutDate,
      form.includes('accrual'),
    ]);
    expect(shapeOf(total)).toEqual(sheetOf(groups.flatMap((property) => property.groups)));
    expect(properties).toMatchObject([
      { propertyId: String(ids[0]), propertyName: 'First' },
      { propertyId: String(ids[1]), propertyName: 'Second' },
    ]);
    expect(properties.map(shapeOf)).toEqual(groups.map((property) => sheetOf(property.groups)));
    const notes = Object.fromEntries(total.apart.map(({ category, note }) => [category, note]));
    expect(notes).toMatchObject({ MORTGAGE: expect.stringContaining('line 12') as string });
    const one = reportOf(await owner.get(`${PATH}?year=2026&${form}&propertyId=${ids[1]}`));
    expect([one.properties, shapeOf(one.total)]).toEqual([[properties[1]], shapeOf(properties[1]!)]);
  });

  it('answers every line with zeros, and its notes, for an account without transactions', async () => {
    const response = await (await service.account()).get(`${PATH}?year=2026`);
    const lines = LINES.map((line) => {
      const categories = CATEGORIES.filter((category) => LINE_OF[category as Category] === line);
      return { line, label: expect.any(String) as string, amount: 0, categories, items: [] };
    });
    expect(response.json).toEqual({
      ...{ form: 'schedule-e', year: 2026, basis: 'cash', timeZone: 'UTC', propertyId: null },
      notice: expect.stringContaining('not tax advice') as string,
      total: { lines, totalExpenses: 0, net: 0, apart: [] },
      properties: [],
      paidWithoutDate: { count: 0, income: 0, expenses: 0 },
    });
  });

  it('adds the categories to the lines of SCHEDULE_E_LINES', async () => {
    const SCHEDULE_E_LINES = '{"MORTGAGE": 12, "FURNISHING": 18, "OTHER_INCOME": null}';
    const caller = await (await startService({ SCHEDULE_E_LINES })).account();
    const { id } = await createProperty(caller);
    for (const category of ['MORTGAGE', 'FURNISHING', 'OTHER_INCOME', 'TAXES'])
      await createTransaction(caller, id, { type: 'EXPENSE', category, amount: 10 });
    const { total } = reportOf(await caller.get(`${PATH}?year=2026&basis=accrual`));
    const filled = total.lines.flatMap(({ line, amount }) => (amount === '0.00' ? [] : line));
    expect(filled).toEqual(['12', '16', '18']);
    expect(total.apart.map(({ category }) => category)).toEqual(['OTHER_INCOME']);
  });
});
