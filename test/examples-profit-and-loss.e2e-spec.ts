import type { Client } from './support/client.js';
import { type ScriptSetup, setUpScript } from './support/examples/script-setup.js';
import { type Run, runScript } from './support/examples/script.js';
import { createProperty, createTransaction } from './support/factories.js';
import type { Service } from './support/service.js';
import { signUp, signUpRequest } from './support/sign-up.js';

const SCRIPT = 'profit-and-loss.mjs';
/** Doubles have only every second integer here. */
const HUGE_ID = '9007199254740993';

interface Sums {
  readonly income: string;
  readonly expenses: string;
  readonly net: string;
}

interface Statement {
  readonly year: number;
  readonly properties: readonly (Sums & {
    readonly propertyId: string;
    readonly property: string;
    readonly categories?: readonly (Sums & { readonly category: string })[];
  })[];
  readonly total: Sums;
}

describe('the profit and loss', () => {
  let setup: ScriptSetup;
  let service: Service;
  let owner: Client;
  const account = signUpRequest();

  beforeAll(async () => {
    setup = await setUpScript(account);
    ({ service, owner } = setup);
  });
  afterEach(() => service.sql('DELETE FROM transactions; DELETE FROM properties'));

  const run = (...args: string[]): Promise<Run> =>
    runScript(SCRIPT, ['--url', service.url, '--user', account.username, ...args], {
      PROPERTY_FINANCE_PASSWORD: account.password,
    });
  const statementOf = async (...args: string[]): Promise<Statement> =>
    JSON.parse((await run('--json', ...args)).out) as Statement;

  /** Of every type, category and status, and some of them in the neighbouring years; every third is paid 20 days later. */
  const seed = async (count: number): Promise<void> => {
    const { id } = await createProperty(owner, { name: 'Large' });
    await createTransaction(owner, id, { status: 'CANCELLED' });
    await service.sql(
      `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date, status,
         recurring, paid_at)
       SELECT owner_id, property_id, property_name, (ARRAY['INCOME', 'EXPENSE'])[n % 2 + 1],
         (ARRAY['OTHER_INCOME', 'REPAIRS', 'TAXES'])[n % 3 + 1], '', 0.01 + n * 123456789.37, d,
         (ARRAY['PENDING', 'PAID', 'OVERDUE', 'CANCELLED', 'DISPUTED', 'REFUNDED'])[n / 6 % 6 + 1], false,
         CASE WHEN n % 3 = 0 THEN d + interval '20 days' END
       FROM transactions, generate_series(1, $1::int) AS n,
         LATERAL (SELECT '2025-12-31T23:59:59.999Z'::timestamptz + n % 7 * interval '1 ms' + n % 11 * interval '40 days') AS x(d)`,
      [count],
    );
  };
  /** The same sums, by the database itself. */
  const sumsOf = async (time: string, group: string): Promise<Sums[]> =>
    service.sql<Sums & { income: string }>(
      `SELECT income::text, expenses::text, (income - expenses)::text AS net FROM (
         SELECT coalesce(sum(amount) FILTER (WHERE type = 'INCOME'), 0.00) AS income,
           coalesce(sum(amount) FILTER (WHERE type = 'EXPENSE'), 0.00) AS expenses
         FROM transactions
         WHERE ${time} >= '2026-01-01T00:00:00Z' AND ${time} < '2027-01-01T00:00:00Z'
           AND status NOT IN ('CANCELLED', 'REFUNDED')
         GROUP BY ${group} ORDER BY ${group}) AS sums`,
    );

  it.each([
    ['what has neither been cancelled nor given back', [], 'date', 'OTHER_INCOME REPAIRS TAXES'],
    ['what is paid', ['--cash'], 'paid_at', 'OTHER_INCOME'],
  ])('adds up %s in the year, as the database does', async (_, options, time, names) => {
    await seed(310);
    const { year, properties, total } = await statementOf('--year', '2026', '--by', 'category', ...options);
    const [all] = await sumsOf(time, 'property_id');
    expect({ year, total }).toEqual({ year: 2026, total: all });
    expect(properties).toMatchObject([{ property: 'Large', ...all }]);
    const categories = properties[0]!.categories!;
    expect(categories.map(({ income, expenses, net }) => ({ income, expenses, net }))).toEqual(
      await sumsOf(time, 'category'),
    );
    expect(categories.map(({ category }) => category).join(' ')).toBe(names);
  });

  it('loses no digit of large amounts and ids', async () => {
    await createProperty(owner);
    await service.sql(`UPDATE properties SET id = ${HUGE_ID}`);
    const body = `{"propertyId":${HUGE_ID},"type":"INCOME","category":"OTHER_INCOME","description":"","amount":`;
    for (const amount of ['99999999999999999.99', '99999999999999999.99', '0.03'])
      await owner.post('/api/transactions', `${body}${amount},"date":"2026-01-01T00:00:00Z"}`);
    const { properties, total } = await statementOf('--year', '2026');
    expect(properties).toMatchObject([{ propertyId: HUGE_ID, net: '200000000000000000.01' }]);
    expect(total.net).toBe('200000000000000000.01');
  });

  describe('of two properties', () => {
    let ids: string[];

    beforeEach(async () => {
      const [loft, barn] = [
        await createProperty(owner, { name: 'The "Loft", rear' }),
        await createProperty(owner, { name: 'Barn 7\\' }),
      ];
      ids = [String(loft.id), String(barn.id)];
      await createTransaction(owner, loft.id, { amount: 1234567.8 });
      await createTransaction(owner, loft.id, { type: 'EXPENSE', category: 'REPAIRS', amount: 34.56 });
      await createTransaction(owner, loft.id, { amount: 5, status: 'CANCELLED' });
      await createTransaction(owner, loft.id, { amount: 5, date: '2027-01-01T00:00:00Z' });
      await createTransaction(owner, barn.id, { amount: 7, status: 'REFUNDED' });
      await createTransaction(owner, barn.id, { amount: 1200, category: 'SECURITY_DEPOSIT' });
    });

    it('is a table for people', async () => {
      expect((await run('--year', '2026')).out).toBe(`Profit and loss 2026

Property                Income  Expenses           Net
The "Loft", rear  1,234,567.80     34.56  1,234,533.24
Barn 7\\                   0.00      0.00          0.00
------------------------------------------------------
Total             1,234,567.80     34.56  1,234,533.24

Refunded income: 7.00
Security deposits held: 1,200.00
`);
    });

    it('is a table by category', async () => {
      expect((await run('--year', '2026', '--by', 'category')).out).toBe(`Profit and loss 2026

Property, category        Income  Expenses           Net
The "Loft", rear    1,234,567.80     34.56  1,234,533.24
  BOOKING_PAYMENT   1,234,567.80      0.00  1,234,567.80
  REPAIRS                   0.00     34.56        -34.56
Barn 7\\                     0.00      0.00          0.00
  BOOKING_PAYMENT           0.00      0.00          0.00
  SECURITY_DEPOSIT          0.00      0.00          0.00
--------------------------------------------------------
Total               1,234,567.80     34.56  1,234,533.24

Refunded income: 7.00
Security deposits held: 1,200.00
`);
    });

    it('is CSV', async () => {
      expect((await run('--year', '2026', '--csv')).out).toBe(
        [
          'propertyId,property,income,expenses,net',
          `${ids[0]},"The ""Loft"", rear",1234567.80,34.56,1234533.24`,
          `${ids[1]},Barn 7\\,0.00,0.00,0.00`,
          '',
        ].join('\r\n'),
      );
      expect((await run('--year', '2026', '--csv', '--by', 'category')).out).toBe(
        [
          'propertyId,property,category,income,expenses,net',
          `${ids[0]},"The ""Loft"", rear",BOOKING_PAYMENT,1234567.80,0.00,1234567.80`,
          `${ids[0]},"The ""Loft"", rear",REPAIRS,0.00,34.56,-34.56`,
          `${ids[1]},Barn 7\\,BOOKING_PAYMENT,0.00,0.00,0.00`,
          `${ids[1]},Barn 7\\,SECURITY_DEPOSIT,0.00,0.00,0.00`,
          '',
        ].join('\r\n'),
      );
    });

    it('is JSON', async () => {
      const total = { income: '1234567.80', expenses: '34.56', net: '1234533.24' };
      const none = { income: '0.00', expenses: '0.00', net: '0.00' };
      expect(await statementOf('--year', '2026')).toEqual({
        year: 2026,
        properties: [
          { propertyId: ids[0], property: 'The "Loft", rear', ...total },
          { propertyId: ids[1], property: 'Barn 7\\', ...none },
        ],
        total,
      });
    });

    it('is of the year in a time zone', async () => {
      const { total } = await statementOf('--year', '2027', '--time-zone', 'Europe/Lisbon');
      expect(total.income).toBe('5.00');
      expect((await statementOf('--year', '2027', '--time-zone', 'America/New_York')).total.income).toBe(
        '0.00',
      );
      const { code, err } = await run('--year', '2027', '--time-zone', 'Mars');
      expect([code, err]).toEqual([3, expect.stringContaining('timeZone must be UTC or a time zone')]);
    });

    it('has nothing of anybody else', async () => {
      const other = signUpRequest();
      await signUp(service.anonymous, other);
      const { out } = await runScript(SCRIPT, ['--json', '--year', '2026'].concat('--user', other.username), {
        PROPERTY_FINANCE_URL: service.url,
        PROPERTY_FINANCE_PASSWORD: other.password,
      });
      expect(JSON.parse(out)).toMatchObject({ properties: [], total: { net: '0.00' } });
    });
  });

  it.each([
    ['a year that is none', ['--year', '26'], '--year does not take "26"'],
    ['the year 0', ['--year', '0000'], '--year does not take "0000"'],
    ['another grouping', ['--by', 'month'], '--by does not take "month"'],
    ['two formats', ['--csv', '--json'], '--csv or --json, not both'],
    ['a file', ['bank.csv'], '"bank.csv" is one argument too many'],
  ])('refuses %s', async (_, args, message) => {
    const { code, out, err } = await run(...args);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: `${message}\n--help says more.\n` });
  });
});
