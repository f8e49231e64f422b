import { readdirSync } from 'node:fs';
import { EXAMPLES, type Run, runScript, scriptFile } from './support/examples/script.js';

const BANKS = `${EXAMPLES}banks/`;
const SCRIPT = 'import-bank-csv.mjs';
const COLUMNS = { date: 'date', amount: 'amount', description: 'text' };

const dryRun = (csv: string | Uint8Array, rules: object = {}, ...args: string[]): Promise<Run> => {
  const files = [csv, JSON.stringify({ columns: COLUMNS, ...rules })].map(scriptFile);
  return runScript(SCRIPT, ['--dry-run', ...args, ...files]);
};
const csvOf = (...lines: string[]): string => ['date,amount,text', ...lines].join('\n');
const amountsOf = (...amounts: string[]): string =>
  ['date;amount;text', ...amounts.map((amount) => `2026-01-02;${amount};x`)].join('\n');
const wordsOf = (name: string, ...rows: string[]): string =>
  [`date,amount,text,${name}`, ...rows.map((row) => `2026-01-02,${row}`)].join('\n');

interface Line {
  readonly day: string;
  readonly amount: string;
  readonly category: string;
  readonly property: string;
  readonly text: string;
}

/** The lines of a dry run. */
const linesOf = ({ out }: Run): Line[] =>
  [...out.matchAll(/^line \d+ +2026-(\S+) +(\w+) +(\S+) +(\S+) +(\S+(?: \S+)*) {2}(.*)$/gm)].map(
    ([, day = '', type, digits = '', category = '', property = '', text = '']) => {
      const amount = `${type === 'INCOME' ? '+' : '-'}${digits}`;
      return { day, amount, category, property, text };
    },
  );

const RENT = '01-02 +1234.56 BOOKING_PAYMENT';
const LAYOUTS: Record<string, string[]> = {
  airbnb: [
    ...['01-05 +1272.74 BOOKING_PAYMENT Harbour Loft', '01-05 -38.18 PLATFORM_FEES Harbour Loft'],
    ...['01-05 +74.23 BOOKING_PAYMENT Old Mill', '01-05 -2.23 PLATFORM_FEES Old Mill'],
    ...['01-05 -10.10 OTHER_EXPENSE Old Mill', '2 skipped'],
  ],
  amex: ['01-05 -58.00 SUPPLIES', '01-15 +10.10 SUPPLIES', '1 skipped'],
  'bank-of-america': [RENT, '01-15 -1064.35 UTILITIES', '1 skipped'],
  barclays: [RENT, '01-15 -64.35 UTILITIES', '01-20 -120.00 OTHER_EXPENSE'],
  chase: [RENT, '01-15 -64.35 UTILITIES', '01-20 -120.00 OTHER_EXPENSE'],
  dkb: ['01-12 -1064.35 UTILITIES', '01-02 +1234.00 BOOKING_PAYMENT', '1 skipped'],
  'hsbc-uk': [RENT, '01-15 -64.35 UTILITIES'],
  'ing-nl': [RENT, '01-05 -58.00 CLEANING'],
  n26: [RENT, '01-05 -58.00 SUPPLIES', '1 skipped'],
  natwest: [RENT, '01-15 -64.35 UTILITIES'],
  paypal: [
    ...['01-02 +1300.00 BOOKING_PAYMENT', '01-02 -65.44 PLATFORM_FEES', '01-05 -58.00 SUPPLIES', '2 skipped'],
  ],
  revolut: [RENT, '01-05 -58.50 CLEANING', '3 skipped'],
  sparkasse: ['01-05 +1234.56 BOOKING_PAYMENT', '01-07 -64.35 UTILITIES', '1 skipped'],
  wise: [RENT, '01-05 -58.50 CLEANING', '2 skipped'],
};

it('examples/banks has a file of each bank', () => {
  const names = new Set(readdirSync(BANKS).map((name) => name.replace(/\.\w+$/, '')));
  expect([...names].toSorted()).toEqual(Object.keys(LAYOUTS));
});

it.each(Object.entries(LAYOUTS))('a dry run reads the file of %s by its rules', async (bank, expected) => {
  const run = await runScript(SCRIPT, ['--dry-run', `${BANKS}${bank}.csv`, `${BANKS}${bank}.json`]);
  const lines = linesOf(run).map(({ day, amount, category, property }) =>
    `${day} ${amount} ${category} ${property === 'Home' ? '' : property}`.trimEnd(),
  );
  const skipped = /\d+ skipped/.exec(run.out) ?? [];
  expect({ ...run, out: [...lines, ...skipped] }).toEqual({ code: 0, err: '', out: expected });
});

describe('a dry run reads', () => {
  const directed = { columns: { ...COLUMNS, direction: 'way' }, in: ['IN', 'Plus'], out: ['OUT', 'Sent'] };
  const quoted = csvOf(
    ...['2026-01-02,12.5,a', '', '2026-01-02,-7,b', '2026-01-02,\u22125.05,"say ""a, b"""'],
    ...['"2026-01-02","99999999999999999.99","two\r\nlines"', '2026-01-02,0.01,5" pipe'],
    `2026-01-02,1,${'😀'.repeat(255)}`,
  );
  const quotedLines = [
    ...['+12.50 a', '-7.00 b', '-5.05 say "a, b"', '+99999999999999999.99 two lines', '+0.01 5" pipe'],
    `+1.00 ${'😀'.repeat(255)}`,
  ];
  const semicolons = 'date;amount;text\n02.01.2026;-1.234.567,8;a\n2.1.2026;+1 000,00;b\n';
  const european = { decimal: ',', dateFormat: 'DD.MM.YYYY' };
  const preamble = 'My bank; "Main" account\n\nbalance;text;amount;date\n1;a;2;2026-01-02\n';
  const months = csvOf('01/02/2026,"-1,234,567.89",a');
  const names = csvOf('2 Jan 2026,1,a', '02 January 2026,2,b', '02 JAN. 2026,3,c');
  const twice = 'date,amount,text;date;amount;text\nx;2026-01-02;1;a';
  const latin = Buffer.from(csvOf('2026-01-02,1,Zo\u00eb'), 'latin1');
  const positions = { columns: { date: 1, amount: 3, description: 2 } };
  const twoColumns = { columns: { date: 'date', credit: 'in', debit: 'out', description: 'text' } };
  const inAndOut = 'date,in,out,text\n2026-01-02,5.00,,a\n2026-01-02,,6.00,b\n2026-01-02,0.00,-7.00,c';
  const way = wordsOf('way', '58.00,a,out', '58.00,b,IN', '-3.00,c,Sent', '4.00,d,plus');

  it.each<[string, string | Uint8Array, string[], object?, string[]?]>([
    ['quotes, line breaks in quotes and empty lines', quoted, quotedLines],
    ['a byte order mark and CR LF', '\ufeffdate,amount,text\r\n2026-01-02,1,a\r\n', ['+1.00 a']],
    ['CR alone', csvOf('2026-01-02,1,a', '').replaceAll('\n', '\r'), ['+1.00 a']],
    ['semicolons, commas and days first', semicolons, ['-1234567.80 a', '+1000.00 b'], european],
    ['tabs, with commas in the text', 'date\tamount\ttext\n2026-01-02\t1\ta, b\n', ['+1.00 a, b']],
    ['lines before the columns, and other columns', preamble, ['+2.00 a']],
    ['a given separator', twice, ['+1.00 a'], {}, ['--separator', ';']],
    ['months first', months, ['-1234567.89 a'], {}, ['--date-format', 'MM/DD/YYYY']],
    ['names of months', names, ['+1.00 a', '+2.00 b', '+3.00 c'], { dateFormat: 'DD MMM YYYY' }],
    ['days without marks', csvOf('20260102,1,a'), ['+1.00 a'], {}, ['--date-format', 'YYYYMMDD']],
    ['another encoding', latin, ['+1.00 Zo\u00eb'], {}, ['--encoding', 'windows-1252']],
    ['positions', '2026-01-02;a;1,5\n2026-01-02;b;-2,00;\n', ['+1.50 a', '-2.00 b'], positions],
    ['columns for in and out', inAndOut, ['+5.00 a', '-6.00 b', '-7.00 c'], twoColumns],
    ['words for in and out', way, ['-58.00 a', '+58.00 b', '-3.00 c', '+4.00 d'], directed],
    ['negated amounts', amountsOf('58.00', '-10.10'), ['-58.00 x', '+10.10 x'], { negate: true }],
    [
      'negated amounts beside words that agree with them',
      wordsOf('Type', '58.00,a,Debit', '-10.10,b,Credit'),
      ['-58.00 a', '+10.10 b'],
      { negate: true },
    ],
    [
      'signed amounts beside words that agree with them',
      wordsOf('Type', '-58.00,a,Debit', '10.10,b,Credit'),
      ['-58.00 a', '+10.10 b'],
    ],
  ])('%s', async (_, csv, lines, rules = {}, args = []) => {
    const run = await dryRun(csv, rules, ...args);
    const found = linesOf(run).map(({ day, amount, text }) => `${day} ${amount} ${text}`);
    const out = lines.map((line) => `01-02 ${line}`);
    expect({ ...run, out: found }).toEqual({ code: 0, err: '', out });
  });

  it.each<Record<string, string>>([
    {
      ...{ '€1,234.50': '+1234.50', '-€1,234.50': '-1234.50', '€-1,234.50': '-1234.50', 'US$5.00': '+5.00' },
      ...{ '12.00 EUR': '+12.00', 'EUR -12.00': '-12.00', "CHF 1'234.50": '+1234.50' },
      ...{ 'CHF 1’234.50': '+1234.50', '(12.00)': '-12.00', '($12.00)': '-12.00', '12.00-': '-12.00' },
    },
    { '-1.234,50 €': '-1234.50', '1 234,50 PLN': '+1234.50' },
    { '1.234.567': '+1234567.00' },
    { '1,234,567': '+1234567.00' },
    { '1.234': '+1234.00', '0,50': '+0.50' },
    { '1,234': '+1234.00', '0.50': '+0.50' },
    { '1.234': '+1234.00', '1.234.567': '+1234567.00' },
  ])('amounts by the decimal mark that all in the file show: %j', async (amounts) => {
    const lines = linesOf(await dryRun(amountsOf(...Object.keys(amounts))));
    expect(lines.map(({ amount }) => amount)).toEqual(Object.values(amounts));
  });

  const fee = 'date,amount,text,fee,net\n2026-01-02,100.00,a,3.20,96.80\n2026-01-02,-50.00,b,-1.00,-49.00';
  const feeColumn = { ...COLUMNS, fee: 'fee' };
  const feeCategory = 'PLATFORM_FEES';
  const GROSS = '+100.00 OTHER_INCOME, -3.20 PLATFORM_FEES, -50.00 OTHER_EXPENSE';

  it.each<[string, object, string]>([
    ['off the amount', { columns: feeColumn }, '+96.80 OTHER_INCOME, -51.00 OTHER_EXPENSE'],
    ['as an expense', { columns: feeColumn, feeCategory }, `${GROSS}, -1.00 PLATFORM_FEES`],
    [
      'as the difference of amount and net, also given back',
      { columns: { ...COLUMNS, net: 'net' }, feeCategory },
      `${GROSS}, +1.00 PLATFORM_FEES`,
    ],
  ])('a fee %s', async (_, rules, expected) => {
    const lines = linesOf(await dryRun(fee, rules));
    expect(lines.map(({ amount, category }) => `${amount} ${category}`).join(', ')).toBe(expected);
  });

  it('category and property by the first rule whose text is in the line', async () => {
    const power = { contains: 'City Power', category: 'UTILITIES', property: 'Loft' };
    const rules = [power, { contains: 'power', category: 'SUPPLIES' }];
    const texts = ['-1,CITY POWER', '-2,Powerful soap', '-3,c', '4,d'];
    const csv = csvOf(...texts.map((text) => `2026-01-02,${text}`));
    const run = await dryRun(csv, { rules, otherwise: { EXPENSE: 'REPAIRS' } }, '--property', 'Barn');
    expect(linesOf(run).map(({ category, property }) => `${category} of ${property}`)).toEqual([
      ...['UTILITIES of Loft', 'SUPPLIES of Barn', 'REPAIRS of Barn', 'OTHER_INCOME of Barn'],
    ]);
  });
});
