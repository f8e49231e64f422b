import { readFileSync } from 'node:fs';
import { type Run, scriptFile, scriptUser } from './support/examples/script.js';
import { type Service, startService } from './support/service.js';

const REPORTS = `
Profit and loss 2026

Property, category    Income  Expenses       Net
Harbour Loft        2,507.30     96.18  2,411.12
  BOOKING_PAYMENT   2,507.30      0.00  2,507.30
  CLEANING              0.00     58.00    -58.00
  PLATFORM_FEES         0.00     38.18    -38.18
Old Mill            1,308.79     70.83  1,237.96
  BOOKING_PAYMENT   1,308.79     10.10  1,298.69
  CLEANING              0.00     58.50    -58.50
  PLATFORM_FEES         0.00      2.23     -2.23
------------------------------------------------
Total               3,816.09    167.01  3,649.08

Schedule E 2026

3 Rents received               3805.99
7 Cleaning and maintenance      116.50
8 Commissions                    40.41
20 Total expenses               156.91
21 Net                         3649.08

This is not tax advice. It adds up recorded transactions by a table of categories: check both before you file a return.

9 transactions are in the file: income 3816.09, expenses 167.01.
That is what the report says.
`;

describe('accountants-walk.mjs', () => {
  let service: Service;
  let walk: (...args: string[]) => Promise<Run>;

  beforeAll(async () => (service = await startService()));
  beforeEach(async () => {
    const [, run] = await scriptUser(service, 'accountants-walk.mjs');
    walk = (...args) => run(args);
  });

  it('imports, corrects, reports and exports, run twice, and adds the file up', async () => {
    const file = scriptFile('');
    for (const isAgain of [false, true]) {
      const imported = [5, 2, 2].map((count, index) => {
        const counts = isAgain ? `0 imported, ${count}` : `${count} imported, 0`;
        return `${['airbnb', 'n26', 'revolut'][index]}.csv: ${counts} there already\n`;
      });
      const corrected =
        'corrected: Resolution Adjustment, HMZZZZZZZZ, Max, Old Mill: BOOKING_PAYMENT\n' +
        'corrected: Linen Ltd: CLEANING\n';
      const out = `${imported.join('')}${corrected}${REPORTS}`;
      expect(await walk('--out', file)).toEqual({ code: 0, out, err: '' });
    }
    expect(readFileSync(file, 'utf8').trimEnd().split('\r\n')).toHaveLength(10);

    await service.sql(`UPDATE transactions SET status = 'DISPUTED' WHERE description LIKE 'Linen%'`);
    const { code, out } = await walk('--out', file);
    expect(code).toBe(1);
    expect(out).toMatch(
      /\n8 .* file: income 3816\.09, expenses 109\.01\.\nThat is not what the report says\.\n$/,
    );
  });

  it('adds up the year of the time zone that it has imported in', async () => {
    const { code, out } = await walk('--out', scriptFile(''), '--time-zone', 'America/New_York');
    expect({ code, reports: out.slice(out.indexOf('\nProfit')) }).toEqual({ code: 0, reports: REPORTS });
    const [last] = await service.sql('SELECT max(date) AS date FROM transactions');
    expect(last).toEqual({ date: new Date('2026-01-05T05:00:00Z') });
  });

  it.each<[string, string[], RegExp]>([
    ['a folder that is missing', ['--out', '/none/ledger.csv'], /^--out: ENOENT: no such file .*'$/m],
    ['no file', [], /^--out FILE\.csv is missing$/m],
  ])('refuses %s before anything is imported', async (_, args, message) => {
    const { code, out, err } = await walk(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });
});
