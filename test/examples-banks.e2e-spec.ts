import { readdirSync } from 'node:fs';
import { API_DOCUMENT } from './support/api-document.js';
import { type Run, runScript, scriptFile } from './support/examples/script.js';

const BANKS = 'examples/banks/';
const SCRIPT = 'import-bank-csv.mjs';
const COLUMNS = { date: 'date', amount: 'amount', description: 'text' };
const IN_AND_OUT = { date: 'date', credit: 'in', debit: 'out', description: 'text' };

const { TransactionCategory } = API_DOCUMENT.components?.schemas as Record<string, { enum: string[] }>;
const CATEGORIES = TransactionCategory!.enum;

const filesOf = (csv: string | Uint8Array, rules: object = {}): string[] =>
  [csv, JSON.stringify({ columns: COLUMNS, ...rules })].map(scriptFile);
const dryRun = (...args: string[]): Promise<Run> => runScript(SCRIPT, ['--dry-run', ...args]);
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
  const quoted = csvOf(
    ...['2026-01-02,12.5,a', '', '2026-01-02,-7,b', '2026-01-02,\u22125.05,"say ""a, b"""'],
    ...['"2026-01-02","99999999999999999.99","two\r\nlines"', '2026-01-02,0.01,5" pipe'],
    `2026-01-02,1,${'😀'.repeat(255)}`,
  );
  const quotedLines = [
    ...['+12.50 a', '-7.00 b', '-5.05 say "a, b"', '+99999999999999999.99 two lines', '+0.01 5" pipe'],
    `+1.00 ${'😀'.repeat(255)}`,
  ];
  const twice = 'date,amount,text;date;amount;text\nx;2026-01-02;1;a';
  const latin = Buffer.from(csvOf('2026-01-02,1,Zo\u00eb'), 'latin1');
  const inAndOut = 'date,in,out,text\n2026-01-02,5.00,,a\n2026-01-02,,6.00,b\n2026-01-02,0.00,-7.00,c';
  const directed = { columns: { ...COLUMNS, direction: 'way' }, in: ['IN', 'Plus'], out: ['OUT', 'Sent'] };
  const way = wordsOf('way', '58.00,a,out', '58.00,b,IN', '-3.00,c,Sent', '4.00,d,plus');
  const cards = wordsOf('Type', '58.00,a,Debit', '-10.10,b,Credit');

  it.each<[string, string | Uint8Array, string[], object?, string[]?]>([
    ['quotes, line breaks in quotes and empty lines', quoted, quotedLines],
    ['CR alone', csvOf('2026-01-02,1,a', '').replaceAll('\n', '\r'), ['+1.00 a']],
    ['tabs, with commas in the text', 'date\tamount\ttext\n2026-01-02\t1\ta, b\n', ['+1.00 a, b']],
    ['a given separator', twice, ['+1.00 a'], {}, ['--separator', ';']],
    ['another encoding', latin, ['+1.00 Zo\u00eb'], {}, ['--encoding', 'windows-1252']],
    ['columns for in and out', inAndOut, ['+5.00 a', '-6.00 b', '-7.00 c'], { columns: IN_AND_OUT }],
    ['words for in and out', way, ['-58.00 a', '+58.00 b', '-3.00 c', '+4.00 d'], directed],
    ['negated amounts beside words that agree', cards, ['-58.00 a', '+10.10 b'], { negate: true }],
  ])('%s', async (_, csv, lines, rules = {}, args = []) => {
    const run = await dryRun(...args, ...filesOf(csv, rules));
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
    const lines = linesOf(await dryRun(...filesOf(amountsOf(...Object.keys(amounts)))));
    expect(lines.map(({ amount }) => amount)).toEqual(Object.values(amounts));
  });

  it('a fee as an expense of its own', async () => {
    const fee = 'date,amount,text,fee\n2026-01-02,100.00,a,3.20\n2026-01-02,-50.00,b,-1.00';
    const rules = { columns: { ...COLUMNS, fee: 'fee' }, feeCategory: 'PLATFORM_FEES' };
    const lines = linesOf(await dryRun(...filesOf(fee, rules)));
    expect(lines.map(({ amount, category }) => `${amount} ${category}`)).toEqual([
      ...['+100.00 OTHER_INCOME', '-3.20 PLATFORM_FEES', '-50.00 OTHER_EXPENSE', '-1.00 PLATFORM_FEES'],
    ]);
  });

  it('category and property by the first rule whose text is in the line', async () => {
    const power = { contains: 'City Power', category: 'UTILITIES', property: 'Loft' };
    const rules = [power, { contains: 'power', category: 'SUPPLIES' }];
    const texts = ['-1,CITY POWER', '-2,Powerful soap', '-3,c', '4,d'];
    const csv = csvOf(...texts.map((text) => `2026-01-02,${text}`));
    const files = filesOf(csv, { rules, otherwise: { EXPENSE: 'REPAIRS' } });
    const run = await dryRun(...files, '--property', 'Barn');
    expect(linesOf(run).map(({ category, property }) => `${category} of ${property}`)).toEqual([
      ...['UTILITIES of Loft', 'SUPPLIES of Barn', 'REPAIRS of Barn', 'OTHER_INCOME of Barn'],
    ]);
  });
});

describe('a dry run names each faulty line', () => {
  const directed = { columns: { ...COLUMNS, direction: 'way' }, in: 'IN', out: 'OUT' };
  const form = (day: string, hint: string): string =>
    `"${day}" is not a date of the form YYYY-MM-DD${hint && `; see --date-format, ${hint} perhaps`}`;
  const noAmount = (amount: string): string => `"${amount}" is not an amount in whole cents`;
  const noMoney = 'the amount is zero; "skip": [{"zero": true}] in the rules skips such lines';

  const DAYS = ['2026-02-30', '02.01.26', '02.01.2026', '1/2/2026', '2026/01/02'];
  const FORMS = ['', 'DD.MM.YY', 'DD.MM.YYYY', 'DD/MM/YYYY or MM/DD/YYYY', 'YYYY/MM/DD'];
  const AMOUNTS = ['1.005', '1.23.4', '1,23', '12 pieces', '', '--5', '(5', '(-5)', 'EUR', '+5-'];

  it.each<[of: string, file: string, rules: object, faults: string[]]>([
    [
      'dates',
      csvOf(...DAYS.map((day) => `${day},1,x`)),
      {},
      DAYS.map((day, index) => form(day, FORMS[index]!)),
    ],
    ['amounts', amountsOf(...AMOUNTS, '0.00'), { decimal: '.' }, [...AMOUNTS.map(noAmount), noMoney]],
    ['no amount', 'date,in,out,text\n2026-01-02,,,d', { columns: IN_AND_OUT }, [noMoney]],
    [
      'fields',
      csvOf('2026-01-02,1', '2026-01-02,1,"two\nlines",more'),
      {},
      ['has 2 fields, but the header line has 3', 'has 4 fields, but the header line has 3'],
    ],
    [
      'directions',
      wordsOf('way', '58.00,a,NEUTRAL', '-5.00,a,IN'),
      directed,
      ['"NEUTRAL" is in neither "in" nor "out"', '"IN" means money in, but the amount is negative'],
    ],
    [
      'a currency',
      csvOf('2026-01-02,1,USD'),
      { columns: { ...COLUMNS, currency: 'text' }, currency: 'EUR' },
      ['is in "USD", but the rules expect EUR; "skip" in the rules can pass over it'],
    ],
  ])('of %s', async (_, csv, rules, faults) => {
    const { code, out, err } = await dryRun(...filesOf(csv, rules));
    expect([code, out]).toEqual([1, `0 lines would be sent, ${faults.length} cannot be understood.\n`]);
    expect(err).toBe(faults.map((fault, index) => `line ${index + 2}: ${fault}\n`).join(''));
  });
});

describe('a dry run refuses', () => {
  const changed = (columns: object): object => ({ columns: { ...COLUMNS, ...columns } });
  const words = (name: string): string => wordsOf(name, '1.00,a,Credit', '58.00,b,Debit');
  const empty = csvOf();
  const line = csvOf('2026-01-02,1,x');
  const positions = scriptFile(JSON.stringify({ columns: { date: 1, amount: 2, description: 3 } }));

  it.each<[message: string, rules: object, file?: string | Uint8Array | undefined]>([
    ['; line 1 lacks "sum" and has: date, amount, text', changed({ amount: 'sum' })],
    ['the file has the unknown "colunms"; known are columns, rules, skip', { colunms: {} }],
    ['for two columns of amounts give credit and debit', { columns: { date: 'date', description: 'text' } }],
    ['columns must have either amount, or credit and debit', changed({ credit: 'c' })],
    ['columns must be an object', { columns: null }],
    ['columns.amount must be the name or the position of a column', changed({ amount: -3 })],
    ['columns.date is missing', { columns: {} }],
    ['rules must be a list', { rules: {} }],
    ['each entry of rules must have the texts "contains" and "category"', { rules: [{ contains: 'a' }] }],
    ['each entry of skip must be {"contains": TEXT}', { skip: [{ column: 'text' }] }],
    ['property must be a text', { property: 7 }],
    ['columns.direction and the words "in" and "out" must be given together', { out: 'Af' }],
    ['negate must be true or false', { negate: 'yes' }],
    ['columns must be all names or, for a file without a header line', changed({ amount: 2 })],
    ['no line has the columns "1", "2", "4"', { columns: { date: 1, amount: 2, description: 4 } }],
    ['columns must have either fee or net', changed({ fee: 'a', net: 'b' })],
    ['feeCategory is missing: columns.net makes the fee', changed({ net: 'b' })],
    ['feeCategory needs columns.fee or columns.net', { feeCategory: 'PLATFORM_FEES' }],
    ['"FEES" is not a category', { feeCategory: 'FEES' }],
    [`the categories are ${CATEGORIES.join(', ')}`, { otherwise: { INCOME: 'RENT' } }],
    ['"GIFT" is not a category', { rules: [{ contains: 'a', category: 'GIFT' }] }],
    ['--decimal does not take ";"', { decimal: ';' }],
    ['may have thousands or decimals; --decimal . or --decimal , says', {}, amountsOf('1.234')],
    ['"1.5" has a decimal point and "1,5" a comma; --decimal says', {}, amountsOf('1.5', '1,5')],
    ['and the rules do not use it: "columns": {"direction', {}, words('Direction')],
    ['"Af Bij" says which amounts go out, and', {}, words('Af Bij')],
    ['line 3 has "Debit" in "Type" and the amount "58.00", and', {}, words('Type')],
    [': line 2: a quoted field has no end', {}, csvOf('2026-01-02,1,"a')],
    ['is not utf-8; see --enc', {}, Buffer.from([...Buffer.from(empty), 0xff])],
    [' is OFX, not CSV; most banks offer CSV, too', {}, 'OFXHEADER:100\nDATA:OFXSGML\n'],
    [' is QIF, not CSV', {}, '!Type:Bank\nD01/02/2026\nT58.00\n'],
    [' is MT940, not CSV', {}, '{1:F01INGBNL2ABXXX0000000000}'],
    [' is CAMT, not CSV', {}, '\ufeff<?xml?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053">'],
    [' is a workbook of a spreadsheet, not CSV', {}, 'PK\u0003\u0004'],
    [' is PDF, not CSV', {}, '%PDF-1.7'],
  ])('with "%s" the rules %j and the file %j', (message, rules, file = line) =>
    expectRefusal(filesOf(file, rules), message),
  );

  it.each<[message: RegExp, args: string[]]>([
    [/^two files are required/, [scriptFile('')]],
    [/^Unknown option '--sep'/, ['--sep', ';']],
    [/encoding/, ['--encoding', 'x', ...filesOf(empty)]],
    [/^ENOENT: .*none/, ['/none', positions]],
    [/; the order of the files is BANK\.csv RULES\.json\n/, filesOf(empty).toReversed()],
    [/^--date-format does not take "DD\.MM"/, ['--date-format', 'DD.MM', ...filesOf(empty)]],
    [/^--time-zone does not take "Mars\/Phobos"/, ['--time-zone', 'Mars/Phobos', ...filesOf(empty)]],
  ])('with %s the arguments %j', (message, args) => expectRefusal(args, message));

  async function expectRefusal(args: string[], message: string | RegExp): Promise<void> {
    const { code, out, err } = await dryRun(...args);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.any(String) as unknown });
    expect(err).toMatch(message);
    expect(err).not.toMatch(/TypeError|undefined|not iterable|destructure/);
  }
});
