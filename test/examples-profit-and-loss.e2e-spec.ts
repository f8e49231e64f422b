import { type Run, scriptUser } from './support/examples/script.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { rawJson } from './support/raw-json.js';
import { startService } from './support/service.js';

/** Doubles have only every second integer here. */
const HUGE_ID = '9007199254740993';

describe('profit-and-loss.mjs', () => {
  let run: (...args: string[]) => Promise<Run>;
  let inCsv: string;
  let inJson: string;

  beforeAll(async () => {
    const service = await startService();
    const [owner, runWith] = await scriptUser(service, 'profit-and-loss.mjs');
    run = (...args) => runWith(args);
    const { id } = await createProperty(owner, { name: 'The "Loft", rear' });
    await createProperty(owner, { name: 'Barn 7\\' });
    await service.sql(`UPDATE properties SET id = ${HUGE_ID} WHERE id <> $1`, [id]);
    for (const amount of ['99999999999999999.99', '99999999999999999.99', '0.03'])
      await owner.post('/api/transactions', rawJson(transactionRequest(id), { amount }));
    const paid = { type: 'EXPENSE', category: 'REPAIRS', amount: 34.56, status: 'PAID' };
    await createTransaction(owner, id, paid);
    await createTransaction(owner, id, { amount: 5, date: '2027-01-01T00:00:00Z' });
    for (const fields of [
      { amount: 7, status: 'REFUNDED' },
      { amount: 1200, category: 'SECURITY_DEPOSIT' },
    ]) {
      const request = rawJson(transactionRequest(0, fields), { propertyId: HUGE_ID });
      await owner.post('/api/transactions', request);
    }
    const path = '/api/reports/profit-and-loss?from=2026-01-01&to=2026-12-31';
    inCsv = (await owner.get(`${path}&groupBy=property`, { accept: 'text/csv' })).text;
    inJson = (await owner.get(`${path}&groupBy=property,category&basis=cash`)).text;
  });

  it('prints a table', async () => {
    expect((await run('--year', '2026')).out).toBe(`Profit and loss 2026

Property                              Income  Expenses                         Net
The "Loft", rear  200,000,000,000,000,000.01     34.56  199,999,999,999,999,965.45
Barn 7\\                                 0.00      0.00                        0.00
----------------------------------------------------------------------------------
Total             200,000,000,000,000,000.01     34.56  199,999,999,999,999,965.45

Refunded income: 7.00
Security deposits held: 1,200.00
`);
  });

  it("prints the service's CSV and JSON", async () => {
    expect((await run('--year', '2026', '--csv')).out).toBe(inCsv);
    expect(inCsv).toContain(HUGE_ID);
    const cash = await run('--year', '2026', '--json', '--by', 'category', '--cash');
    expect(cash.out).toBe(`${inJson}\n`);
    const undated = 'Paid without paidAt, and in no figure above: 1 (income 0.00, expenses 34.56)';
    expect((await run('--year', '2026', '--cash')).out).toContain(undated);
  });

  it('prints the year in a time zone', async () => {
    const table = async (zone: string): Promise<string> =>
      (await run('--year', '2027', '--time-zone', zone)).out;
    expect(await table('Europe/Lisbon')).toMatch(/^Total +5\.00 /m);
    expect(await table('America/New_York')).toMatch(/^Total +0\.00 /m);
  });

  it.each([
    ['a year of two digits', ['--year', '26'], '--year does not take "26"'],
    ['another grouping', ['--by', 'month'], '--by does not take "month"'],
    ['two formats', ['--csv', '--json'], '--csv or --json, not both'],
    ['a file', ['bank.csv'], '"bank.csv" is an unexpected argument'],
  ])('refuses %s', async (_, args, message) => {
    const { code, out, err } = await run(...args);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: `${message}\n--help says more.\n` });
  });
});
