import { readFileSync } from 'node:fs';
import { type ScriptSetup, setUpScript } from './support/examples/script-setup.js';
import { Folder, type Run, runScript } from './support/examples/script.js';
import { signUp, signUpRequest } from './support/sign-up.js';

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

describe("the accountant's walk", () => {
  const folder = new Folder();
  let account = signUpRequest();
  let setup: ScriptSetup;

  beforeAll(async () => {
    setup = await setUpScript(account);
  });

  beforeEach(async () => {
    account = signUpRequest();
    await signUp(setup.service.anonymous, account);
  });

  const walk = (...args: string[]): Promise<Run> =>
    runScript('accountants-walk.mjs', ['--url', setup.proxy.url, '--user', account.username, ...args], {
      PROPERTY_FINANCE_PASSWORD: account.password,
    });

  it('imports, corrects, reports and exports, as often as it is taken, and adds the file up', async () => {
    const file = folder.file('');
    const imported = ['airbnb.csv: 5', 'n26.csv: 2', 'revolut.csv: 2'];
    for (const told of [' imported, 0 there already', 'again']) {
      const lines = imported.map((line) =>
        told === 'again' ? line.replace(/\d+$/, '0 imported, $& there already') : line + told,
      );
      const corrected = [
        'corrected: Resolution Adjustment, HMZZZZZZZZ, Max, Old Mill: BOOKING_PAYMENT',
        'corrected: Linen Ltd: CLEANING',
      ];
      const { code, out, err } = await walk('--out', file);
      expect({ code, out, err }).toEqual({
        code: 0,
        out: `${[...lines, ...corrected].join('\n')}\n${REPORTS}`,
        err: '',
      });
    }
    expect(readFileSync(file, 'utf8').trimEnd().split('\r\n')).toHaveLength(10);

    await setup.service.sql(`UPDATE transactions SET status = 'DISPUTED' WHERE description LIKE 'Linen%'`);
    const disputed = await walk('--out', file);
    expect([disputed.code, disputed.out.trimEnd().split('\n').slice(-2)]).toEqual([
      1,
      [
        '8 transactions are in the file: income 3816.09, expenses 109.01.',
        'That is not what the report says.',
      ],
    ]);
  });

  it('adds up the year of the time zone that it has imported in', async () => {
    const { code, out } = await walk('--out', folder.file(''), '--time-zone', 'America/New_York');
    expect({ code, reports: out.slice(out.indexOf('\nProfit')) }).toEqual({ code: 0, reports: REPORTS });
    const [last] = await setup.service.sql('SELECT max(date) AS date FROM transactions');
    expect(last).toEqual({ date: new Date('2026-01-05T05:00:00Z') });
  });

  it.each([
    ['a folder that is not there', '/none/ledger.csv', 'ENOENT: no such file or directory'],
    ['a folder in place of a file', '.', 'EISDIR: illegal operation on a directory'],
  ])('says that it cannot write to %s, before anything is imported', async (_, file, message) => {
    const { code, out, err } = await walk('--out', file);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(new RegExp(`^--out: ${message}, open '.*'\n--help says more.\n$`));
  });

  it.each([
    ['no file', [], '--out FILE.csv is missing'],
    ['an operand', ['--out', 'a.csv', 'b.csv'], '"b.csv" is one argument too many'],
  ])('refuses %s', async (_, args, message) => {
    const { code, out, err } = await walk(...args);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: `${message}\n--help says more.\n` });
  });
});
