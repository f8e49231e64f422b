import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { API_DOCUMENT } from './support/api-document.js';
import { Folder, type Run, runScript } from './support/examples/script.js';

const BANKS = fileURLToPath(new URL('../examples/banks/', import.meta.url));
const SCRIPT = 'import-bank-csv.mjs';

const { TransactionCategory } = API_DOCUMENT.components?.schemas as Record<string, { enum: string[] }>;
const CATEGORIES = TransactionCategory!.enum;

const folder = new Folder();

/** What a dry run shows of each line: the day, the signed amount, the category, and the property unless it is Home. */
const shown = ({ out }: Run): string[] =>
  [...out.matchAll(/^line \d+ +2026-(\S+) +(INCOME|EXPENSE) +(\S+) +(\S+) +(\S+(?: \S+)*)/gm)].map(
    ([, day, type, amount, category, property]) =>
      `${day} ${type === 'INCOME' ? '+' : '-'}${amount} ${category}${property === 'Home' ? '' : ` ${property}`}`,
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
const signed = (run: Run): string[] => shown(run).map((line) => line.split(' ')[1]!);

describe('an amount of a bank', () => {
  it.each<Record<string, string>>([
    {
      '€1,234.50': '+1234.50',
      '-€1,234.50': '-1234.50',
      '€-1,234.50': '-1234.50',
      'US$5.00': '+5.00',
      '12.00 EUR': '+12.00',
      'EUR -12.00': '-12.00',
      "CHF 1'234.50": '+1234.50',
      'CHF 1’234.50': '+1234.50',
      '(12.00)': '-12.00',
      '($12.00)': '-12.00',
      '12.00-': '-12.00',
    },
    { '-1.234,50 €': '-1234.50', '1 234,50 PLN': '+1234.50' },
    { '1.234.567': '+1234567.00' },
    { '1,234,567': '+1234567.00' },
    { '1.234': '+1234.00', '0,50': '+0.50' },
    { '1,234': '+1234.00', '0.50': '+0.50' },
    { '1.234': '+1234.00', '1.234.567': '+1234567.00' },
  ])('is read by the decimal mark that all in the file show: %j', async (amounts) => {
    expect(signed(await dryRun(withAmounts(...Object.keys(amounts))))).toEqual(Object.values(amounts));
  });

  it('is not guessed', async () => {
    const amounts = ['1.5.5', '--5', '(5', '(-5)', '5 apples', 'EUR', '+5-'];
    const faults = amounts.map(
      (amount, index) => `line ${index + 2}: "${amount}" is no amount of whole cents\n`,
    );
    expect(await dryRun(withAmounts(...amounts))).toMatchObject({ code: 1, err: faults.join('') });
  });

  it('may stand in a column for what comes in and another for what goes out, signed or not', async () => {
    const columns = { date: 'date', credit: 'in', debit: 'out', description: 'text' };
    const csv =
      'date,in,out,text\n2026-01-02,5.00,,a\n2026-01-02,,6.00,b\n2026-01-02,0.00,-7.00,c\n2026-01-02,,,d';
    const run = await dryRun(csv, { columns });
    expect(signed(run)).toEqual(['+5.00', '-6.00', '-7.00']);
    expect(run.err).toMatch(/^line 5: no money has moved; "skip"/);
  });
});

describe('the sign of an amount', () => {
  const withWords = (name: string, ...rows: string[]): string =>
    [`date,amount,text,${name}`, ...rows.map((row) => `2026-01-02,${row}`)].join('\n');
  const directed = (out: unknown, more: object = {}): object => ({
    columns: { ...COLUMNS, direction: 'way' },
    in: ['IN', 'Plus'],
    out,
    ...more,
  });

  it.each<[string, string, object, string[]]>([
    [
      'comes from the words of columns.direction, in any case',
      withWords('way', '58.00,a,out', '58.00,b,IN', '-3.00,c,Sent', '4.00,d,plus'),
      directed(['OUT', 'Sent']),
      ['-58.00', '+58.00', '-3.00', '+4.00'],
    ],
    ['is turned by negate', withAmounts('58.00', '-10.10'), { negate: true }, ['-58.00', '+10.10']],
    [
      'is turned by negate beside words for directions',
      withWords('Type', '58.00,a,Debit', '-10.10,b,Credit'),
      { negate: true },
      ['-58.00', '+10.10'],
    ],
    [
      'is its own beside words that agree with it',
      withWords('Type', '-58.00,a,Debit', '10.10,b,Credit'),
      {},
      ['-58.00', '+10.10'],
    ],
  ])('%s', async (_, csv, rules, expected) => {
    const run = await dryRun(csv, rules);
    expect({ code: run.code, err: run.err, rows: signed(run) }).toEqual({ code: 0, err: '', rows: expected });
  });

  it.each<[string, string, object, string]>([
    [
      'neither of the words',
      withWords('way', '58.00,a,NEUTRAL'),
      directed('OUT'),
      'line 2: "NEUTRAL" is neither of "in" nor of "out"\n',
    ],
    [
      'the word for in beside a negative amount',
      withWords('way', '-5.00,a,IN'),
      directed('OUT'),
      'line 2: "IN" comes in, and the amount is negative\n',
    ],
  ])('is not guessed from %s', async (_, csv, rules, message) => {
    expect(await dryRun(csv, rules)).toMatchObject({ code: 1, err: message });
  });

  it.each<[string, string]>([
    [
      'Direction',
      '"Direction" says which amounts go out, and the rules do not use it: "columns": {"direction',
    ],
    ['Af Bij', '"Af Bij" says which amounts go out, and'],
    ['Type', 'line 3 has "Debit" in "Type" and the amount "58.00", and the rules do not use it'],
  ])('is not taken from a file whose column "%s" says otherwise', async (name, message) => {
    const { code, out, err } = await dryRun(withWords(name, '1.00,a,Credit', '58.00,b,Debit'));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });
});

describe('a fee', () => {
  const columns = { ...COLUMNS, fee: 'fee' };
  const csv = 'date,amount,text,fee,net\n2026-01-02,100.00,a,3.20,96.80\n2026-01-02,-50.00,b,-1.00,-49.00';
  const rows = async (rules: object): Promise<string[]> =>
    shown(await dryRun(csv, rules)).map((line) => line.slice(6).replace(' (no property)', ''));

  it.each<[string, object, string[]]>([
    ['taken off the amount', { columns }, ['+96.80 OTHER_INCOME', '-51.00 OTHER_EXPENSE']],
    [
      'an expense of its own by feeCategory',
      { columns, feeCategory: 'PLATFORM_FEES' },
      ['+100.00 OTHER_INCOME', '-3.20 PLATFORM_FEES', '-50.00 OTHER_EXPENSE', '-1.00 PLATFORM_FEES'],
    ],
    [
      'the difference of amount and net, which is income where it is given back',
      { columns: { ...COLUMNS, net: 'net' }, feeCategory: 'PLATFORM_FEES' },
      ['+100.00 OTHER_INCOME', '-3.20 PLATFORM_FEES', '-50.00 OTHER_EXPENSE', '+1.00 PLATFORM_FEES'],
    ],
  ])('is %s', async (_, rules, expected) => expect(await rows(rules)).toEqual(expected));
});

describe('a hint of the bank import', () => {
  const good = withAmounts('1.00');

  it.each<[object, string]>([
    [{ columns: { ...COLUMNS, amount: 'sum' } }, '; line 1 lacks "sum" and has: date, amount, text'],
    [{ colunms: {} }, 'the whole has "colunms", and knows columns, rules, skip'],
    [
      { columns: { date: 'date', description: 'text' } },
      'that has two columns of amounts has credit and debit',
    ],
    [{ columns: { ...COLUMNS, credit: 'c' } }, 'columns has either amount, or credit and debit'],
    [{ columns: [] }, 'columns has to be an object'],
    [{ columns: null }, 'columns has to be an object'],
    [{ columns: { ...COLUMNS, amount: -3 } }, 'columns.amount is no name of a column'],
    [{ columns: {} }, 'columns.date is missing'],
    [{ rules: {} }, 'rules is no list'],
    [{ rules: [{ contains: 'a' }] }, 'each of rules has the texts "contains" and "category"'],
    [{ rules: [null] }, 'each of rules has to be an object'],
    [{ skip: [{ column: 'text' }] }, 'each of skip is {"contains": TEXT}'],
    [{ property: 7 }, 'property is no text'],
    [{ columns: { ...COLUMNS, direction: 'd' } }, 'columns.direction, and the words "in" and "out" that'],
    [{ out: 'Af' }, 'columns.direction, and the words "in" and "out" that stand there, belong together'],
    [{ negate: 'yes' }, 'negate is true or false'],
    [{ columns: { ...COLUMNS, amount: 2 } }, 'columns are all names or, for a file without a line of names'],
    [{ columns: { date: 1, amount: 2, description: 4 } }, 'no line has the columns "1", "2", "4"'],
    [{ columns: { ...COLUMNS, fee: 'a', net: 'b' } }, 'columns has either fee or net'],
    [{ columns: { ...COLUMNS, net: 'b' } }, 'feeCategory is missing: columns.net makes the fee'],
    [{ feeCategory: 'PLATFORM_FEES' }, 'feeCategory needs columns.fee or columns.net'],
    [{ feeCategory: 'FEES' }, '"FEES" is no category; the categories are BOOKING_PAYMENT, '],
    [{ otherwise: { INCOME: 'RENT' } }, '"RENT" is no category'],
    [
      { rules: [{ contains: 'a', category: 'GIFT' }] },
      `"GIFT" is no category; the categories are ${CATEGORIES.join(', ')}\n`,
    ],
    [{ decimal: ';' }, '--decimal does not take ";"'],
  ])('is given for the rules %j', (rules, message) => expectHint(good, rules, message));

  it.each([
    [['1.234'], '"1.234" may have thousands or decimals; --decimal . or --decimal , says'],
    [['1.5', '1,5'], '"1.5" has a decimal point and "1,5" a comma; --decimal says'],
  ])('is given for the amounts %j', (amounts, message) => expectHint(withAmounts(...amounts), {}, message));

  async function expectHint(csv: string, rules: object, message: string): Promise<void> {
    const { code, out, err } = await dryRun(csv, rules);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(err).not.toMatch(/TypeError|undefined|not iterable|destructure/);
  }

  it.each([
    ['OFX', 'OFXHEADER:100\nDATA:OFXSGML\n'],
    ['OFX', '<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?><OFX>'],
    ['QIF', '!Type:Bank\nD01/02/2026\nT58.00\n'],
    ['MT940', '\r\n:20:STARTUMSE\n:25:12345678\n'],
    ['MT940', '{1:F01INGBNL2ABXXX0000000000}'],
    ['CAMT', '\ufeff<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">'],
    ['a workbook of a spreadsheet', 'PK\u0003\u0004'],
    ['PDF', '%PDF-1.7'],
  ])('is given for a file of %s', (format, content) =>
    expectHint(content, {}, ` is ${format}, not CSV; most banks offer CSV, too`),
  );

  it('is given for files in the wrong order', async () => {
    const args = ['--dry-run', folder.file(JSON.stringify({ columns: COLUMNS })), folder.file(good)];
    expect((await runScript(SCRIPT, args)).err).toContain(
      '; the order of the files is BANK.csv RULES.json\n',
    );
  });

  it('is given for a date in another form', async () => {
    const forms = {
      '02.01.26': 'DD.MM.YY',
      '02.01.2026': 'DD.MM.YYYY',
      '1/2/2026': 'DD/MM/YYYY or MM/DD/YYYY',
      '2026/01/02': 'YYYY/MM/DD',
    };
    const { err } = await dryRun(
      ['date,amount,text', ...Object.keys(forms).map((date) => `${date},1.00,x`)].join('\n'),
    );
    const hints = Object.entries(forms).map(
      ([date, form], index) =>
        `line ${index + 2}: "${date}" is no date of the form YYYY-MM-DD; see --date-format, ${form} perhaps\n`,
    );
    expect(err).toBe(hints.join(''));
  });

  it('is given for a line in another currency', async () => {
    const rules = { columns: { ...COLUMNS, currency: 'text' }, currency: 'EUR' };
    expect((await dryRun(good, rules)).err).toMatch(/^line 2: is in "x", and the rules want EUR; skip/);
  });
});
