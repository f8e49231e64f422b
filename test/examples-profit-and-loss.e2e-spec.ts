import type { Client } from './support/client.js';
import type { Gateway } from './support/gateway.js';
import { type ScriptSetup, setUpScript } from './support/examples/script-setup.js';
import { type Run, runScript } from './support/examples/script.js';
import { createProperty, createTransaction } from './support/factories.js';
import type { Service } from './support/service.js';
import { signUp, signUpRequest } from './support/sign-up.js';

const SCRIPT = 'profit-and-loss.mjs';
/** Doubles have only every second integer here. */
const HUGE_ID = '9007199254740993';
const SEARCH = 'POST /api/transactions/search';

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
  let proxy: Gateway;
  let owner: Client;
  const account = signUpRequest();

  beforeAll(async () => {
    setup = await setUpScript(account);
    ({ service, proxy, owner } = setup);
  });
  afterAll(() => setup.close());
  beforeEach(() => proxy.forget());
  afterEach(() => service.sql('DELETE FROM transactions; DELETE FROM properties'));

  const run = (...args: string[]): Promise<Run> =>
    runScript(SCRIPT, ['--url', proxy.url, '--user', account.username, ...args], {
      PROPERTY_FINANCE_PASSWORD: account.password,
    });
  const statementOf = async (...args: string[]): Promise<Statement> =>
    JSON.parse((await run('--json', ...args)).out) as Statement;

  /** Of every type, category and status, and some of them in the neighbouring years. */
  const seed = async (count: number): Promise<void> => {
    const { id } = await createProperty(owner, { name: 'Large' });
    await createTransaction(owner, id);
    await service.sql(
      `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date, status,
         recurring)
       SELECT owner_id, property_id, property_name, (ARRAY['INCOME', 'EXPENSE'])[n % 2 + 1],
         (ARRAY['OTHER_INCOME', 'REPAIRS', 'TAXES'])[n % 3 + 1], '', 0.01 + n * 123456789.37,
         '2025-12-31T23:59:59.999Z'::timestamptz + n % 7 * interval '1 ms' + n % 11 * interval '40 days',
         (ARRAY['PENDING', 'PAID', 'OVERDUE', 'CANCELLED', 'DISPUTED', 'REFUNDED'])[n / 6 % 6 + 1], false
       FROM transactions, generate_series(1, $1::int) AS n`,
      [count],
    );
  };
  /** The same sums, by the database itself. */
  const sumsOf = async (statuses: string, group: string): Promise<Sums[]> =>
    service.sql<Sums & { income: string }>(
      `SELECT income::text, expenses::text, (income - expenses)::text AS net FROM (
         SELECT coalesce(sum(amount) FILTER (WHERE type = 'INCOME'), 0.00) AS income,
           coalesce(sum(amount) FILTER (WHERE type = 'EXPENSE'), 0.00) AS expenses
         FROM transactions
         WHERE date >= '2026-01-01T00:00:00Z' AND date < '2027-01-01T00:00:00Z' AND status = ANY (string_to_array($1, ' '))
         GROUP BY ${group} ORDER BY ${group}) AS sums`,
      [statuses],
    );

  it.each([
    ['what has neither been cancelled nor given back', [], 'PENDING PAID OVERDUE DISPUTED'],
    ['only what is paid', ['--paid-only'], 'PAID'],
  ])('adds up %s in the year, as the database does', async (_, options, statuses) => {
    await seed(310);
    const { year, properties, total } = await statementOf('--year', '2026', '--by', 'category', ...options);
    const [all] = await sumsOf(statuses, 'property_id');
    expect({ year, total }).toEqual({ year: 2026, total: all });
    expect(properties).toMatchObject([{ property: 'Large', ...all }]);
    const categories = properties[0]!.categories!;
    expect(categories.map(({ income, expenses, net }) => ({ income, expenses, net }))).toEqual(
      await sumsOf(statuses, 'category'),
    );
    expect(categories.map(({ category }) => category)).toEqual(
      ['BOOKING_PAYMENT', 'OTHER_INCOME', 'REPAIRS', 'TAXES'].slice(options.length),
    );
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

  it('reads again when a row goes while it reads, because then another one slips from page to page', async () => {
    await seed(250);
    const [before] = await sumsOf('PAID', 'property_id');
    // The searches are: the latest change, three pages, and the latest change again.
    proxy.next(SEARCH, undefined, undefined, () =>
      service.sql(`DELETE FROM transactions WHERE id = (SELECT min(id) FROM transactions WHERE status = 'PAID'
        AND date >= '2026-01-01T00:00:00Z')`),
    );
    const { total } = await statementOf('--year', '2026', '--paid-only');
    const [after] = await sumsOf('PAID', 'property_id');
    expect(before).not.toEqual(after);
    expect(total).toEqual(after);
    expect(proxy.seen.filter((kind) => kind === SEARCH).length).toBeGreaterThan(5);
  });

  it('gives up when the rows never hold still', async () => {
    const { id } = await createProperty(owner);
    const change = (): Promise<unknown> => createTransaction(owner, id);
    // Each reading of a few rows is: the latest change, one page, the latest change.
    proxy.next(SEARCH, ...Array.from({ length: 5 }, () => [undefined, change, undefined]).flat());
    const { code, err } = await run('--year', '2026');
    expect(code).toBe(3);
    expect(err).toMatch(/^The transactions changed each of the 5 times that they were read/);
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
    });

    it('is a table for people', async () => {
      expect((await run('--year', '2026')).out).toBe(`Profit and loss 2026

Property                Income  Expenses           Net
The "Loft", rear  1,234,567.80     34.56  1,234,533.24
Barn 7\\                   0.00      0.00          0.00
------------------------------------------------------
Total             1,234,567.80     34.56  1,234,533.24
`);
    });

    it('is a table by category', async () => {
      expect((await run('--year', '2026', '--by', 'category')).out).toBe(`Profit and loss 2026

Property, category        Income  Expenses           Net
The "Loft", rear    1,234,567.80     34.56  1,234,533.24
  BOOKING_PAYMENT   1,234,567.80      0.00  1,234,567.80
  REPAIRS                   0.00     34.56        -34.56
Barn 7\\                     0.00      0.00          0.00
--------------------------------------------------------
Total               1,234,567.80     34.56  1,234,533.24
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
