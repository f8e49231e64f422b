import type { Client } from './support/client.js';
import { setUpScript } from './support/examples/script-setup.js';
import { type Run, runScript } from './support/examples/script.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { rawJson } from './support/raw-json.js';
import type { Service } from './support/service.js';
import { signUpRequest } from './support/sign-up.js';

const SCRIPT = 'profit-and-loss.mjs';
/** Doubles have only every second integer here. */
const HUGE_ID = '9007199254740993';

describe('the profit and loss', () => {
  let service: Service;
  let owner: Client;
  let loftId: number;
  const account = signUpRequest();

  beforeAll(async () => {
    ({ service, owner } = await setUpScript(account));
    loftId = (await createProperty(owner, { name: 'The "Loft", rear' })).id;
    await createProperty(owner, { name: 'Barn 7\\' });
    await service.sql(`UPDATE properties SET id = ${HUGE_ID} WHERE id <> $1`, [loftId]);
    for (const amount of ['99999999999999999.99', '99999999999999999.99', '0.03'])
      await owner.post('/api/transactions', rawJson(transactionRequest(loftId), { amount }));
    const repairs = { type: 'EXPENSE', category: 'REPAIRS', amount: 34.56, paidAt: '2026-02-01T00:00:00Z' };
    await createTransaction(owner, loftId, repairs);
    await createTransaction(owner, loftId, { amount: 5, status: 'CANCELLED' });
    await createTransaction(owner, loftId, { amount: 5, date: '2027-01-01T00:00:00Z' });
    for (const fields of [
      { amount: 7, status: 'REFUNDED' },
      { amount: 1200, category: 'SECURITY_DEPOSIT' },
    ]) {
      const request = rawJson(transactionRequest(0, fields), { propertyId: HUGE_ID });
      await owner.post('/api/transactions', request);
    }
  });

  const run = (...args: string[]): Promise<Run> =>
    runScript(SCRIPT, ['--url', service.url, '--user', account.username, ...args], {
      PROPERTY_FINANCE_PASSWORD: account.password,
    });

  it('is a table for people', async () => {
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

  it('is a table by category', async () => {
    expect((await run('--year', '2026', '--by', 'category')).out).toBe(`Profit and loss 2026

Property, category                      Income  Expenses                         Net
The "Loft", rear    200,000,000,000,000,000.01     34.56  199,999,999,999,999,965.45
  BOOKING_PAYMENT   200,000,000,000,000,000.01      0.00  200,000,000,000,000,000.01
  REPAIRS                                 0.00     34.56                      -34.56
Barn 7\\                                   0.00      0.00                        0.00
  BOOKING_PAYMENT                         0.00      0.00                        0.00
  SECURITY_DEPOSIT                        0.00      0.00                        0.00
------------------------------------------------------------------------------------
Total               200,000,000,000,000,000.01     34.56  199,999,999,999,999,965.45

Refunded income: 7.00
Security deposits held: 1,200.00
`);
  });

  it('is CSV', async () => {
    expect((await run('--year', '2026', '--csv')).out).toBe(
      [
        'propertyId,property,income,expenses,net',
        `${loftId},"The ""Loft"", rear",200000000000000000.01,34.56,199999999999999965.45`,
        `${HUGE_ID},Barn 7\\,0.00,0.00,0.00`,
        '',
      ].join('\r\n'),
    );
    expect((await run('--year', '2026', '--csv', '--by', 'category')).out).toBe(
      [
        'propertyId,property,category,income,expenses,net',
        `${loftId},"The ""Loft"", rear",BOOKING_PAYMENT,200000000000000000.01,0.00,200000000000000000.01`,
        `${loftId},"The ""Loft"", rear",REPAIRS,0.00,34.56,-34.56`,
        `${HUGE_ID},Barn 7\\,BOOKING_PAYMENT,0.00,0.00,0.00`,
        `${HUGE_ID},Barn 7\\,SECURITY_DEPOSIT,0.00,0.00,0.00`,
        '',
      ].join('\r\n'),
    );
  });

  it('is JSON, and by the day of the payment what is paid', async () => {
    const paid = { income: '0.00', expenses: '34.56', net: '-34.56' };
    const none = { income: '0.00', expenses: '0.00', net: '0.00' };
    const total = { income: '200000000000000000.01', expenses: '34.56', net: '199999999999999965.45' };
    const loft = { propertyId: String(loftId), property: 'The "Loft", rear' };
    const barn = { propertyId: HUGE_ID, property: 'Barn 7\\' };
    expect(JSON.parse((await run('--year', '2026', '--json')).out)).toEqual({
      year: 2026,
      properties: [
        { ...loft, ...total },
        { ...barn, ...none },
      ],
      total,
    });
    expect(JSON.parse((await run('--year', '2026', '--json', '--cash', '--by', 'category')).out)).toEqual({
      year: 2026,
      properties: [{ ...loft, ...paid, categories: [{ category: 'REPAIRS', ...paid }] }],
      total: paid,
    });
  });

  it('is of the year in a time zone', async () => {
    const table = async (zone: string): Promise<string> =>
      (await run('--year', '2027', '--time-zone', zone)).out;
    expect(await table('Europe/Lisbon')).toMatch(/^Total +5\.00 /m);
    expect(await table('America/New_York')).toMatch(/^Total +0\.00 /m);
    const { code, err } = await run('--year', '2027', '--time-zone', 'Mars');
    expect([code, err]).toEqual([2, expect.stringContaining('--time-zone does not take "Mars"')]);
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
