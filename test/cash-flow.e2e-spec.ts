import { pageOf } from './support/responses.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

const PATH = '/api/reports/cash-flow';

interface Sums {
  readonly payable: number;
  readonly receivable: number;
}
interface Owed extends Sums {
  readonly vendors: readonly (Sums & { dueOn: string | null; vendor: string | null; transactions: number })[];
}
interface Report extends Record<'from' | 'to', string>, Record<'overdue' | 'due', Owed> {
  readonly upcoming: Sums & { readonly occurrences: readonly ({ date: string } & Record<string, unknown>)[] };
}

describe('GET /api/reports/cash-flow', () => {
  let service: Service;
  let owner: Account;
  let property: { id: number };
  beforeAll(async () => (service = await startService()));
  beforeEach(async () => {
    owner = await service.account();
    property = await createProperty(owner, { name: 'Loft' });
  });

  const report = async (query = ''): Promise<Report> => {
    const response = await owner.get(`${PATH}?${query}`);
    expect(response.status).toBe(200);
    return response.json as Report;
  };
  const record = (fields: Record<string, unknown>): Promise<{ id: number }> =>
    createTransaction(owner, property.id, { type: 'EXPENSE', category: 'UTILITIES', ...fields });
  const daysIn = ({ upcoming }: Report): string =>
    upcoming.occurrences.map(({ date }) => date.slice(5)).join(' ');

  it('answers empty lists from today on for an account without transactions', async () => {
    const today = (): string => new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
    const none = { payable: 0, receivable: 0 };
    const before = today();
    const { from, to, ...others } = await report('timeZone=Pacific/Kiritimati');
    expect([before, today()]).toContain(from);
    expect(Date.parse(to) - Date.parse(from)).toBeGreaterThan(360 * 86_400_000);
    expect(others).toEqual({
      timeZone: 'Pacific/Kiritimati',
      months: 12,
      propertyId: null,
      overdue: { ...none, vendors: [] },
      due: { ...none, vendors: [] },
      upcoming: { ...none, occurrences: [] },
    });
  });

  describe('lists the occurrences of recurring transactions', () => {
    it.each([
      ['DAILY', '2026-03-27', 'from=2026-03-01&months=1', '2026-03-31', '03-28 03-29 03-30 03-31'],
      ['WEEKLY', '1997-06-20', 'from=2026-03-20&months=1', '2026-04-19', '03-20 03-27 04-03 04-10 04-17'],
      ['BI_WEEKLY', '1999-02-26', 'from=2026-03-06&months=1', '2026-04-05', '03-06 03-20 04-03'],
      ['MONTHLY', '2026-01-31', 'from=2026-01-31&months=1', '2026-02-27', ''],
      ['MONTHLY', '2026-01-31', 'from=2026-02-01&months=4', '2026-05-31', '02-28 03-31 04-30 05-31'],
      ['MONTHLY', '1999-12-31', 'from=2028-02-29&months=2', '2028-04-28', '02-29 03-31'],
      ['QUARTERLY', '2025-11-30', 'from=2026-01-01&months=12', '2026-12-31', '02-28 05-30 08-30 11-30'],
      ['QUARTERLY', '1001-01-31', 'from=2026-04-30&months=12', '2027-04-29', '04-30 07-31 10-31 01-31'],
      ['SEMI_ANNUALLY', '1023-08-31', 'from=2024-01-01&months=12', '2024-12-31', '02-29 08-31'],
      ['ANNUALLY', '1024-02-29', 'from=2027-01-01&months=24', '2028-12-31', '02-28 02-29'],
      ['ONE_TIME', '2026-01-31', 'from=2026-02-01&months=24', '2028-01-31', ''],
      ['MONTHLY', '2026-01-31', 'from=2026-02-01&months=2&timeZone=Pacific/Apia', '2026-03-31', '03-01'],
      ['MONTHLY', '2026-02-01', 'from=2026-02-01&months=1&timeZone=Etc/GMT%2B12', '2026-02-28', '02-28'],
    ])('%s since noon of %s, %s: to %s on %s', async (frequency, first, query, to, expected) => {
      await record({ recurring: true, frequency, date: `${first}T11:30:00Z` });
      const response = await report(query);
      expect([response.to, daysIn(response)]).toEqual([to, expected]);
    });

    it('behind the latest recorded one, on the day of the first, with the amount of the latest', async () => {
      const common = { category: 'UTILITIES', frequency: 'MONTHLY', description: 'Rent', vendor: 'Old Mill' };
      const on = (day: string, more: object): Promise<{ id: number }> =>
        record({ recurring: true, ...common, date: `${day}T08:00:00Z`, ...more });
      await on('2025-12-31', { amount: 500 });
      await on('2026-01-31', { amount: 510.25, status: 'PAID' });
      const { id } = await on('2026-02-28', { amount: 520.5, status: 'DISPUTED' });
      await on('2026-01-15', { description: 'Water', type: 'INCOME', amount: 3 });
      const response = await report('from=2026-01-01&months=4');
      const { occurrences, ...sums } = response.upcoming;
      expect(sums).toEqual({ payable: 1041, receivable: 9 });
      const ofProperty = { propertyId: property.id, propertyName: 'Loft' };
      const ofRent = { ...ofProperty, ...common, type: 'EXPENSE', transactionId: id, amount: 520.5 };
      expect(occurrences.filter(({ type }) => type === 'EXPENSE')).toEqual(
        ['2026-03-31', '2026-04-30'].map((date) => ({ ...ofRent, date })),
      );
      expect(daysIn(response)).toBe('02-15 03-15 03-31 04-15 04-30');
    });

    it('of another series when type, category, vendor, description or frequency is different', async () => {
      const first = { recurring: true, frequency: 'MONTHLY', description: 'a', vendor: 'a' };
      const texts = [{ vendor: 'b' }, { description: 'b' }];
      for (const other of [{}, { type: 'INCOME' }, { category: 'TAXES' }, { frequency: 'WEEKLY' }, ...texts])
        await record({ ...first, date: '2026-01-01T00:00:00Z', ...other });
      const { occurrences } = (await report('from=2026-01-03&months=1')).upcoming;
      const onFirst = occurrences.filter(({ date }) => date === '2026-02-01');
      const ids = onFirst.map(({ transactionId }) => Number(transactionId));
      expect([ids.length, ids]).toEqual([5, ids.toSorted((one, other) => one - other)]);
      expect(new Set(occurrences.map(({ transactionId }) => transactionId)).size).toBe(6);
    });

    it('of no other transactions and of no series whose latest is CANCELLED, and stores none', async () => {
      const date = '2026-01-01T00:00:00Z';
      const monthly = { recurring: true, frequency: 'MONTHLY' };
      const gym = { ...monthly, description: 'Gym' };
      const cancelled = { ...gym, date: '2026-01-02T00:00:00Z', status: 'CANCELLED' };
      for (const fields of [{ frequency: 'MONTHLY' }, { recurring: true }, monthly, gym, cancelled])
        await record({ date, ...fields });
      expect(daysIn(await report('from=2026-01-01&months=2'))).toBe('02-01');
      expect(pageOf(await owner.get('/api/transactions')).totalElements).toBe(5);
    });
  });

  describe('lists unpaid transactions', () => {
    const PAST = '2020-03-01T00:30:00Z';
    const COMING = '2990-03-01T00:30:00Z';

    it('as overdue, as due or not at all, by status, due date and payment', async () => {
      const cases: readonly [status: string, dates: Record<string, string>][] = [
        ['PENDING', { dueDate: PAST }],
        ['DISPUTED', { dueDate: PAST }],
        ['OVERDUE', { dueDate: COMING }],
        ['OVERDUE', {}],
        ['PENDING', { dueDate: COMING }],
        ['DISPUTED', { dueDate: COMING }],
        ['PENDING', {}],
        ['PENDING', { dueDate: PAST, paidAt: PAST }],
        ['OVERDUE', { paidAt: COMING }],
        ['PAID', { dueDate: PAST }],
        ['CANCELLED', { dueDate: PAST }],
        ['REFUNDED', { dueDate: COMING }],
      ];
      for (const [index, [status, dates]] of cases.entries())
        await record({ status, ...dates, vendor: `${index} ${status}` });
      const { overdue, due } = await report('from=2990-01-01&months=3&timeZone=America/New_York');
      const rowsOf = (list: Owed): unknown[] => list.vendors.map(({ vendor, dueOn }) => `${vendor} ${dueOn}`);
      expect(rowsOf(overdue).sort()).toEqual([
        ...['0 PENDING 2020-02-29', '1 DISPUTED 2020-02-29', '2 OVERDUE 2990-02-28', '3 OVERDUE null'],
      ]);
      expect(rowsOf(due).sort()).toEqual([
        ...['4 PENDING 2990-02-28', '5 DISPUTED 2990-02-28', '6 PENDING null'],
      ]);
    });

    it('by vendor, those due by day and vendor, the earliest first', async () => {
      const owed = [
        ['b', PAST, 'EXPENSE'],
        ['b', '2019-01-01T00:00:00Z', 'INCOME'],
        [null, PAST, 'EXPENSE'],
        ['a', PAST, 'EXPENSE'],
        ['a', PAST, 'EXPENSE'],
        ['b', COMING, 'EXPENSE'],
        ['b', '2990-02-01T00:00:00Z', 'INCOME'],
        ['a', COMING, 'EXPENSE'],
        ['c', undefined, 'INCOME'],
        ['late', '2990-03-02T00:00:00Z', 'EXPENSE'],
      ] as const;
      for (const [vendor, dueDate, type] of owed) await record({ vendor, dueDate, type, amount: 2.5 });
      const brief = ({ vendors, ...sums }: Owed): unknown[] => [
        sums,
        ...vendors.map((row) => [row.dueOn, row.vendor, row.payable, row.receivable, row.transactions]),
      ];
      const { overdue, due } = await report('from=2990-01-02&months=2');
      expect(brief(overdue)).toEqual([
        { payable: 10, receivable: 2.5 },
        ['2019-01-01', 'b', 2.5, 2.5, 2],
        ['2020-03-01', 'a', 5, 0, 2],
        ['2020-03-01', null, 2.5, 0, 1],
      ]);
      expect(brief(due)).toEqual([
        { payable: 5, receivable: 5 },
        ['2990-02-01', 'b', 0, 2.5, 1],
        ['2990-03-01', 'a', 2.5, 0, 1],
        ['2990-03-01', 'b', 2.5, 0, 1],
        [null, 'c', 0, 2.5, 1],
      ]);
    });
  });

  it('ends its occurrences on 9999-12-31 at the latest', async () => {
    await record({ recurring: true, frequency: 'ANNUALLY', date: '0001-01-01T00:00:00Z' });
    const { from, to, upcoming } = await report('from=9997-12-31&months=24&timeZone=America/New_York');
    expect([from, to, upcoming.occurrences.map(({ date }) => date)]).toEqual([
      ...['9997-12-31', '9999-12-30'],
      ['9998-01-01', '9999-01-01'],
    ]);
    expect(daysIn(await report('from=0001-01-01&months=24'))).toBe('01-01');
  });

  it.each([
    ['0001-01-01T00:00:00Z', 'America/New_York', '0001-01-01'],
    ['9999-12-31T23:59:59.999Z', 'Pacific/Kiritimati', '9999-12-31'],
  ])('has what was due at %s (timeZone=%s) on a day of the calendar', async (dueDate, timeZone, dueOn) => {
    await record({ status: 'OVERDUE', dueDate });
    expect((await report(`timeZone=${timeZone}`)).overdue.vendors).toMatchObject([{ dueOn }]);
  });

  it('answers for the named property alone', async () => {
    await record({ recurring: true, frequency: 'MONTHLY', status: 'OVERDUE', date: '2026-01-01T00:00:00Z' });
    const other = await createProperty(owner);
    for (const [{ id }, count] of [[property, 1] as const, [other, 0] as const]) {
      const { overdue, upcoming } = await report(`from=2026-02-01&months=1&propertyId=${id}`);
      expect([overdue.vendors.length, upcoming.occurrences.length]).toEqual([count, count]);
    }
  });
});
