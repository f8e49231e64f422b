import { readFileSync } from 'node:fs';
import { type ScriptSetup, setUpScript } from './support/examples/script-setup.js';
import { Folder, type Run, runScript } from './support/examples/script.js';
import { signUp, signUpRequest } from './support/sign-up.js';

const REPORTS = `
Profit and loss 2026

Property, category    Income  Expenses       Net
Harbour Loft        2,469.12     58.00  2,411.12
  BOOKING_PAYMENT   2,469.12      0.00  2,469.12
  CLEANING              0.00     58.00    -58.00
Old Mill            1,306.56     68.60  1,237.96
  BOOKING_PAYMENT   1,306.56     10.10  1,296.46
  CLEANING              0.00     58.50    -58.50
------------------------------------------------
Total               3,775.68    126.60  3,649.08

Schedule E 2026

3 Rents received               3765.58
7 Cleaning and maintenance      116.50
20 Total expenses               116.50
21 Net                         3649.08

This is no tax advice. It adds up what was recorded, by a table of categories: whoever files the return has to check both.

7 transactions are in the file: income 3775.68, expenses 126.60.
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
    const imported = ['airbnb.csv: 3', 'n26.csv: 2', 'revolut.csv: 2'];
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
    expect(readFileSync(file, 'utf8').trimEnd().split('\r\n')).toHaveLength(8);

    await setup.service.sql(`UPDATE transactions SET status = 'DISPUTED' WHERE description LIKE 'Linen%'`);
    const disputed = await walk('--out', file);
    expect([disputed.code, disputed.out.trimEnd().split('\n').slice(-2)]).toEqual([
      1,
      [
        '6 transactions are in the file: income 3775.68, expenses 68.60.',
        'That is not what the report says.',
      ],
    ]);
  });

  it.each([
    ['no file', [], '--out FILE.csv is missing'],
    ['an operand', ['--out', 'a.csv', 'b.csv'], '"b.csv" is one argument too many'],
  ])('refuses %s', async (_, args, message) => {
    const { code, out, err } = await walk(...args);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: `${message}\n--help says more.\n` });
  });
});
