import { API_DOCUMENT } from './support/api-document.js';
import { type Run, runScript, scriptFile } from './support/examples/script.js';

const SCRIPT = 'import-bank-csv.mjs';
const COLUMNS = { date: 'date', amount: 'amount', description: 'text' };

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

describe('a dry run names each faulty line', () => {
  const directed = { columns: { ...COLUMNS, direction: 'way' }, in: 'IN', out: 'OUT' };
  const form = (day: string, hint: string): string =>
    `"${day}" is not a date of the form YYYY-MM-DD${hint && `; see --date-format, ${hint} perhaps`}`;
  const noAmount = (amount: string): string => `"${amount}" is not an amount in whole cents`;
  const noMoney = 'the amount is zero; "skip": [{"zero": true}] in the rules skips such lines';

  it.each<[of: string, file: string, rules: object, faults: string[]]>([
    [
      'dates',
      csvOf(...['2026-02-30', '02.01.26', '02.01.2026', '1/2/2026', '2026/01/02'].map((day) => `${day},1,x`)),
      {},
      [
        form('2026-02-30', ''),
        form('02.01.26', 'DD.MM.YY'),
        form('02.01.2026', 'DD.MM.YYYY'),
        form('1/2/2026', 'DD/MM/YYYY or MM/DD/YYYY'),
        form('2026/01/02', 'YYYY/MM/DD'),
      ],
    ],
    [
      'amounts',
      amountsOf('1.005', '1.23.4', '1,23', '12 pieces', '', '--5', '(5', '(-5)', 'EUR', '+5-', '0.00'),
      { decimal: '.' },
      [
        ...['1.005', '1.23.4', '1,23', '12 pieces', '', '--5', '(5', '(-5)', 'EUR', '+5-'].map(noAmount),
        noMoney,
      ],
    ],
    [
      'no amount in either column',
      'date,in,out,text\n2026-01-02,,,d',
      {
        columns: { date: 'date', credit: 'in', debit: 'out', description: 'text' },
      },
      [noMoney],
    ],
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

  it('and reads the others', async () => {
    const run = await dryRun(...filesOf(csvOf('2026-01-02,x,a', '2026-01-02,1,b')));
    expect(run.out).toMatch(/^line 3 .* 1\.00 .* b\n1 lines would be sent, 1 cannot be understood\.\n$/);
  });
});

describe('a dry run refuses', () => {
  async function expectRefusal(args: string[], message: string | RegExp): Promise<void> {
    const { code, out, err } = await dryRun(...args);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.any(String) as unknown });
    expect(err).toMatch(message);
    expect(err).not.toMatch(/TypeError|undefined|not iterable|destructure/);
  }

  it.each<[object, string]>([
    [{ columns: { ...COLUMNS, amount: 'sum' } }, '; line 1 lacks "sum" and has: date, amount, text'],
    [{ colunms: {} }, 'the file has the unknown "colunms"; known are columns, rules, skip'],
    [{ columns: { date: 'date', description: 'text' } }, 'for two columns of amounts give credit and debit'],
    [{ columns: { ...COLUMNS, credit: 'c' } }, 'columns must have either amount, or credit and debit'],
    [{ columns: [] }, 'columns must be an object'],
    [{ columns: null }, 'columns must be an object'],
    [{ columns: { ...COLUMNS, amount: -3 } }, 'columns.amount must be the name or the position of a column'],
    [{ columns: {} }, 'columns.date is missing'],
    [{ rules: {} }, 'rules must be a list'],
    [{ rules: [{ contains: 'a' }] }, 'each entry of rules must have the texts "contains" and "category"'],
    [{ rules: [null] }, 'each entry of rules must be an object'],
    [{ skip: [{ column: 'text' }] }, 'each entry of skip must be {"contains": TEXT}'],
    [{ property: 7 }, 'property must be a text'],
    [{ columns: { ...COLUMNS, direction: 'd' } }, 'columns.direction and the words "in" and "out" must'],
    [{ out: 'Af' }, 'columns.direction and the words "in" and "out" must be given together'],
    [{ negate: 'yes' }, 'negate must be true or false'],
    [
      { columns: { ...COLUMNS, amount: 2 } },
      'columns must be all names or, for a file without a header line',
    ],
    [{ columns: { date: 1, amount: 2, description: 4 } }, 'no line has the columns "1", "2", "4"'],
    [{ columns: { ...COLUMNS, fee: 'a', net: 'b' } }, 'columns must have either fee or net'],
    [{ columns: { ...COLUMNS, net: 'b' } }, 'feeCategory is missing: columns.net makes the fee'],
    [{ feeCategory: 'PLATFORM_FEES' }, 'feeCategory needs columns.fee or columns.net'],
    [{ feeCategory: 'FEES' }, '"FEES" is not a category; the categories are BOOKING_PAYMENT, '],
    [{ otherwise: { INCOME: 'RENT' } }, '"RENT" is not a category'],
    [
      { rules: [{ contains: 'a', category: 'GIFT' }] },
      `"GIFT" is not a category; the categories are ${CATEGORIES.join(', ')}\n`,
    ],
    [{ decimal: ';' }, '--decimal does not take ";"'],
  ])('the rules %j', (rules, message) => expectRefusal(filesOf(csvOf('2026-01-02,1,x'), rules), message));

  const words = (name: string): string => wordsOf(name, '1.00,a,Credit', '58.00,b,Debit');
  const header = csvOf();

  it.each<[string, string | Uint8Array, string | RegExp]>([
    [
      'an ambiguous amount',
      amountsOf('1.234'),
      'may have thousands or decimals; --decimal . or --decimal , says',
    ],
    [
      'two decimal marks',
      amountsOf('1.5', '1,5'),
      '"1.5" has a decimal point and "1,5" a comma; --decimal says',
    ],
    ['a column "Direction"', words('Direction'), 'and the rules do not use it: "columns": {"direction'],
    ['a column "Af Bij"', words('Af Bij'), '"Af Bij" says which amounts go out, and'],
    ['words for directions', words('Type'), 'line 3 has "Debit" in "Type" and the amount "58.00", and'],
    ['an open quote', csvOf('2026-01-02,1,"a'), ': line 2: a quoted field has no end'],
    ['another encoding', Buffer.from([...Buffer.from(header), 0xff]), 'is not utf-8; see --enc'],
    ['OFX', 'OFXHEADER:100\nDATA:OFXSGML\n', ' is OFX, not CSV; most banks offer CSV, too'],
    ['OFX in XML', '<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?><OFX>', ' is OFX, not CSV'],
    ['QIF', '!Type:Bank\nD01/02/2026\nT58.00\n', ' is QIF, not CSV'],
    ['MT940', '\r\n:20:STARTUMSE\n:25:12345678\n', ' is MT940, not CSV'],
    ['MT940 of SWIFT', '{1:F01INGBNL2ABXXX0000000000}', ' is MT940, not CSV'],
    [
      'CAMT',
      '\ufeff<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">',
      ' is CAMT, not',
    ],
    ['a workbook', 'PK\u0003\u0004', ' is a workbook of a spreadsheet, not CSV'],
    ['PDF', '%PDF-1.7', ' is PDF, not CSV'],
  ])('a file with %s', (_, csv, message) => expectRefusal(filesOf(csv), message));

  it.each<[string, string[], RegExp]>([
    ['one file only', [scriptFile('')], /^two files are required/],
    ['an unknown option', ['--sep', ';'], /^Unknown option '--sep'/],
    ['an unknown encoding', ['--encoding', 'x', ...filesOf(header)], /encoding/],
    [
      'a missing file',
      ['/none', scriptFile('{"columns":{"date":1,"amount":2,"description":3}}')],
      /^ENOENT: .*none/,
    ],
    [
      'the files in the wrong order',
      filesOf(header).toReversed(),
      /; the order of the files is BANK\.csv RULES\.json\n/,
    ],
    ...[
      'date-format DD.MM',
      'date-format MMMM',
      'date-format yyyy-mm-dd',
      'time-zone EST',
      'time-zone Mars/Phobos',
    ].map((option): [string, string[], RegExp] => {
      const [name = '', value = ''] = option.split(' ');
      return [
        option,
        [`--${name}`, value, ...filesOf(header)],
        new RegExp(`^--${name} does not take "${value}"`),
      ];
    }),
  ])('%s', (_, args, message) => expectRefusal(args, message));
});
