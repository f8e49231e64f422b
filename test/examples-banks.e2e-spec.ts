import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Folder, type Run, runScript } from './support/examples/script.js';

const BANKS = fileURLToPath(new URL('../examples/banks/', import.meta.url));
const SCRIPT = 'import-bank-csv.mjs';

const folder = new Folder();

/** What a dry run shows of each line: date, type, amount, category and property. */
const shown = ({ out }: Run): string[] =>
  out
    .split('\n')
    .filter((line) => line.startsWith('line '))
    .map((line) =>
      line
        .split(/\s{2,}/)
        .slice(1, 6)
        .join(' '),
    );

const LAYOUTS: Record<string, string[]> = {
  airbnb: [
    '2026-01-05 INCOME 1234.56 BOOKING_PAYMENT Harbour Loft',
    '2026-01-05 INCOME 72.00 BOOKING_PAYMENT Old Mill',
    '2026-01-05 EXPENSE 10.10 OTHER_EXPENSE Old Mill',
    '2 skipped',
  ],
  'bank-of-america': [
    '2026-01-02 INCOME 1234.56 BOOKING_PAYMENT Home',
    '2026-01-15 EXPENSE 1064.35 UTILITIES Home',
    '1 skipped',
  ],
  barclays: [
    '2026-01-02 INCOME 1234.56 BOOKING_PAYMENT Home',
    '2026-01-15 EXPENSE 64.35 UTILITIES Home',
    '2026-01-20 EXPENSE 120.00 OTHER_EXPENSE Home',
  ],
  chase: [
    '2026-01-02 INCOME 1234.56 BOOKING_PAYMENT Home',
    '2026-01-15 EXPENSE 64.35 UTILITIES Home',
    '2026-01-20 EXPENSE 120.00 OTHER_EXPENSE Home',
  ],
  dkb: [
    '2026-01-12 EXPENSE 1064.35 UTILITIES Home',
    '2026-01-02 INCOME 1234.00 BOOKING_PAYMENT Home',
    '1 skipped',
  ],
  n26: [
    '2026-01-02 INCOME 1234.56 BOOKING_PAYMENT Home',
    '2026-01-05 EXPENSE 58.00 SUPPLIES Home',
    '1 skipped',
  ],
  paypal: [
    '2026-01-02 INCOME 1234.56 BOOKING_PAYMENT Home',
    '2026-01-05 EXPENSE 58.00 SUPPLIES Home',
    '2 skipped',
  ],
  revolut: [
    '2026-01-02 INCOME 1234.56 BOOKING_PAYMENT Home',
    '2026-01-05 EXPENSE 58.50 CLEANING Home',
    '3 skipped',
  ],
  sparkasse: [
    '2026-01-05 INCOME 1234.56 BOOKING_PAYMENT Home',
    '2026-01-07 EXPENSE 64.35 UTILITIES Home',
    '1 skipped',
  ],
  wise: [
    '2026-01-02 INCOME 1234.56 BOOKING_PAYMENT Home',
    '2026-01-05 EXPENSE 58.50 CLEANING Home',
    '1 skipped',
  ],
};

describe('the layouts of banks', () => {
  it('are all here', () => {
    const names = new Set(readdirSync(BANKS).map((name) => name.replace(/\.\w+$/, '')));
    expect([...names].toSorted()).toEqual(Object.keys(LAYOUTS));
  });

  it.each(Object.entries(LAYOUTS))('are read as the rules of %s say', async (bank, expected) => {
    const run = await runScript(SCRIPT, ['--dry-run', `${BANKS}${bank}.csv`, `${BANKS}${bank}.json`]);
    const skipped = /\d+ skipped/.exec(run.out) ?? [];
    expect({ ...run, out: [...shown(run), ...skipped] }).toEqual({ code: 0, err: '', out: expected });
  });
});

const COLUMNS = { date: 'date', amount: 'amount', description: 'text' };
const dryRun = (csv: string, rules: object = {}, ...args: string[]): Promise<Run> =>
  runScript(SCRIPT, [
    '--dry-run',
    ...args,
    folder.file(csv),
    folder.file(JSON.stringify({ columns: COLUMNS, ...rules })),
  ]);
const withAmounts = (...amounts: string[]): string =>
  ['date;amount;text', ...amounts.map((amount) => `2026-01-02;${amount};x`)].join('\n');
const signed = (run: Run): string[] => shown(run).map((line) => line.split(' ').slice(1, 3).join(' '));

describe('an amount of a bank', () => {
  it.each([
    ['€1,234.50', 'INCOME 1234.50'],
    ['-€1,234.50', 'EXPENSE 1234.50'],
    ['€-1,234.50', 'EXPENSE 1234.50'],
    ['US$5.00', 'INCOME 5.00'],
    ['12.00 EUR', 'INCOME 12.00'],
    ['EUR -12.00', 'EXPENSE 12.00'],
    ['-1.234,50 €', 'EXPENSE 1234.50'],
    ["CHF 1'234.50", 'INCOME 1234.50'],
    ['CHF 1’234.50', 'INCOME 1234.50'],
    ['1 234,50 PLN', 'INCOME 1234.50'],
    ['(12.00)', 'EXPENSE 12.00'],
    ['($12.00)', 'EXPENSE 12.00'],
    ['12,00-', 'EXPENSE 12.00'],
    ['1.234.567', 'INCOME 1234567.00'],
    ['1,234,567', 'INCOME 1234567.00'],
  ])('may be written %s', async (amount, expected) => {
    expect(signed(await dryRun(withAmounts(amount)))).toEqual([expected]);
  });

  it.each([
    [
      ['1.234', '0,50'],
      ['INCOME 1234.00', 'INCOME 0.50'],
    ],
    [
      ['1,234', '0.50'],
      ['INCOME 1234.00', 'INCOME 0.50'],
    ],
    [
      ['1.234', '1.234.567'],
      ['INCOME 1234.00', 'INCOME 1234567.00'],
    ],
  ])('is read by the decimal mark that the others show: %j', async (amounts, expected) => {
    expect(signed(await dryRun(withAmounts(...amounts)))).toEqual(expected);
  });

  it.each(['1.5.5', '--5', '(5', '(-5)', '5 apples', 'EUR', '+5-'])(
    'is not guessed from %p',
    async (amount) => {
      expect(await dryRun(withAmounts(amount))).toMatchObject({
        code: 1,
        err: `line 2: "${amount}" is no amount of whole cents\n`,
      });
    },
  );

  it('may stand in a column for what comes in and another for what goes out, signed or not', async () => {
    const columns = { date: 'date', credit: 'in', debit: 'out', description: 'text' };
    const csv =
      'date,in,out,text\n2026-01-02,5.00,,a\n2026-01-02,,6.00,b\n2026-01-02,0.00,-7.00,c\n2026-01-02,,,d';
    const run = await dryRun(csv, { columns });
    expect(signed(run)).toEqual(['INCOME 5.00', 'EXPENSE 6.00', 'EXPENSE 7.00']);
    expect(run.err).toMatch(/^line 5: no money has moved; "skip"/);
  });
});

describe('a hint of the bank import', () => {
  const good = withAmounts('1.00');

  it.each<[string, string, object, string]>([
    [
      '1.234 alone',
      withAmounts('1.234'),
      {},
      '"1.234" may have thousands or decimals; --decimal . or --decimal , says',
    ],
    [
      'both marks',
      withAmounts('1.5', '1,5'),
      {},
      '"1.5" has a decimal point and "1,5" a comma; --decimal says',
    ],
    [
      'an unknown column',
      good,
      { columns: { ...COLUMNS, amount: 'sum' } },
      '; line 1 lacks "sum" and has: date, amount, text',
    ],
    ['an unknown key', good, { colunms: {} }, 'the whole has "colunms", and knows columns, rules, skip'],
    [
      'no amount',
      good,
      { columns: { date: 'date', description: 'text' } },
      'a bank that has two columns of amounts has credit and debit',
    ],
    [
      'amount and credit',
      good,
      { columns: { ...COLUMNS, credit: 'c' } },
      'columns has either amount, or credit and debit',
    ],
    ['columns as a list', good, { columns: [] }, 'columns has to be an object'],
    ['columns as null', good, { columns: null }, 'columns has to be an object'],
    [
      'a column as a number',
      good,
      { columns: { ...COLUMNS, amount: 3 } },
      'columns.amount is no name of a column',
    ],
    ['rules as an object', good, { rules: {} }, 'rules is no list'],
    ['a rule that is null', good, { rules: [null] }, 'each of rules has to be an object'],
    ['skip without a text', good, { skip: [{ column: 'text' }] }, 'each of skip is {"contains": TEXT}'],
    ['a property that is a number', good, { property: 7 }, 'property is no text'],
    ['an unknown decimal', good, { decimal: ';' }, '--decimal does not take ";"'],
  ])('is given for %s', async (_, csv, rules, message) => {
    const { code, out, err } = await dryRun(csv, rules);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).not.toMatch(/TypeError|undefined|not iterable|destructure/);
  });

  it('is given for files in the wrong order', async () => {
    const args = ['--dry-run', folder.file(JSON.stringify({ columns: COLUMNS })), folder.file(good)];
    expect((await runScript(SCRIPT, args)).err).toContain(
      '; the order of the files is BANK.csv RULES.json\n',
    );
  });

  it.each([
    ['02.01.26', 'DD.MM.YY'],
    ['02.01.2026', 'DD.MM.YYYY'],
    ['1/2/2026', 'DD/MM/YYYY or MM/DD/YYYY'],
    ['2026/01/02', 'YYYY/MM/DD'],
  ])('is given for a date such as %s', async (date, forms) => {
    const { err } = await dryRun(good.replace('2026-01-02', date));
    expect(err).toBe(
      `line 2: "${date}" is no date of the form YYYY-MM-DD; see --date-format, ${forms} perhaps\n`,
    );
  });

  it('is given for a line in another currency', async () => {
    const rules = { columns: { ...COLUMNS, currency: 'text' }, currency: 'EUR' };
    expect((await dryRun(good, rules)).err).toMatch(/^line 2: is in "x", and the rules want EUR; skip/);
  });
});
