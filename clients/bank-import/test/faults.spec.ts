import { centsOf } from '../src/meaning/amounts.js';
import { amounts, BASE, COLUMNS, meaningOf, shown } from './tool.js';

const SIDES = { date: 'date', credit: 'in', debit: 'out', description: 'text' };
const DIRECTED = { ...COLUMNS, direction: 'way' };
const csv = (head: string, ...lines: string[]): string => [head, ...lines].join('\n');
/** A table of January 2026, its lines parted by bars. */
const january =
  (head: string) =>
  (lines: string): string =>
    csv(head, ...lines.split('|').map((line) => `2026-01-${line}`));
const [list, sides] = [january('date,amount,text'), january('date,in,out,text')];
const [words, fees] = [january('date,amount,text,way'), january('date,amount,text,fee')];
const running = january('date,amount,text,balance');
const BALANCE = { columns: { ...COLUMNS, balance: 'balance' } };
const FEE = { columns: { ...COLUMNS, fee: 'fee' } };

describe('a sign', () => {
  it.each<[how: string, file: string, rules: object, amounts: string, opening?: string]>([
    [
      'by minus, bracket and dash',
      list('02,-7.99,a|03,$(3.20),b|04,\u22125,c|05,6,d'),
      {},
      '-7.99 -3.20 -5.00 +6.00',
    ],
    [
      'by a balance, oldest first',
      running('02,5,a,105|03,7,b,98|04,7,c,91'),
      { everything: 'out' },
      '-5.00 -7.00 -7.00',
    ],
    ['by a balance and the one before', running('02,5,a,105|03,7,b,98'), BALANCE, '+5.00 -7.00', '100'],
    [
      'by a balance, newest first',
      running('04,7,c,91|03,7,b,98|02,5,a,105'),
      BALANCE,
      '-7.00 -7.00 +5.00',
      '100',
    ],
    [
      'by a balance on one day, in the order that adds up',
      running('02,7,c,91|02,9,b,98|02,5,a,107'),
      BALANCE,
      '-7.00 -9.00 -5.00',
      '112',
    ],
    ['by a balance that no rule names', running('02,-1,z,100|03,5,a,105|04,7,b,98'), {}, '-1.00 +5.00 -7.00'],
    [
      'by balances of each currency',
      january('date,amount,text,balance,cur')('02,-5,a,105,EUR|02,1,a,9,USD|03,-7,b,98,EUR|03,2,b,11,USD'),
      {
        columns: { ...COLUMNS, balance: 'balance', currency: 'cur' },
        currency: 'EUR',
        skip: [{ column: 'cur', equals: 'USD' }],
      },
      '-5.00 -7.00',
    ],
    [
      'by what is owed',
      running('02,5,a,105|03,58,b,163|04,-10,c,153'),
      { ...BALANCE, owed: true, everything: 'out' },
      '-5.00 -58.00 +10.00',
    ],
    [
      'by a balance after lines without one',
      running('02,-5,a,|03,-7,b,88|04,8,c,-|05,-1,d,95'),
      BALANCE,
      '-5.00 -7.00 +8.00 -1.00',
      '100',
    ],
    [
      'by words that a balance explains',
      january('date,amount,text,way,balance')('02,5,a,D,95|03,7,b,D,88|04,9,c,K,97|05,9,c,K,106'),
      { columns: { ...DIRECTED, balance: 'balance' } },
      '-5.00 -7.00 +9.00 +9.00',
      '100',
    ],
    [
      'by words',
      words('02,58,a,Saída|03,60,b,ENTRADA'),
      { columns: DIRECTED, in: 'Entrada', out: ['Sai\u0301da'] },
      '-58.00 +60.00',
    ],
    [
      'by the balance before the one account that counts',
      january('date,amount,text,balance,of')('02,5,a,105,1|02,5,b,20,2|03,7,c,98,1'),
      { columns: { ...COLUMNS, balance: 'balance', account: 'of' }, skip: [{ column: 'of', equals: '2' }] },
      '+5.00 -7.00',
      '100',
    ],
    [
      'by words, and given back by a minus',
      words('02,58,a,out|03,-7.99,b,out|04,9,c,in'),
      { columns: DIRECTED, in: 'in', out: 'out' },
      '-58.00 +7.99 +9.00',
    ],
    [
      'by words, with a minus for all that comes in',
      words('02,58,a,debit|03,-7.99,b,credit'),
      { columns: DIRECTED, in: 'credit', out: 'debit', creditSign: '-' },
      '-58.00 +7.99',
    ],
    [
      'in a column of debits',
      sides('02,,100,a|03,,-100,b|04,5,0.00,c'),
      { columns: SIDES },
      '-100.00 +100.00 +5.00',
    ],
    [
      'in a column of debits that all have a minus',
      sides('02,,-100,a'),
      { columns: SIDES, debitSign: '-' },
      '-100.00',
    ],
    ['of both columns', sides('02,10,4,a'), { columns: SIDES, bothFilled: 'net' }, '+6.00'],
    ['of the rules', list('02,5,a|03,6,b'), { everything: 'out' }, '-5.00 -6.00'],
    ['of a fee that is given back', fees('02,100,a,3.20|03,-100,b,-3.20'), FEE, '+96.80 -96.80'],
    [
      'of a fee as a transaction',
      fees('02,100,a,3.20|03,-100,b,-3.20'),
      { ...FEE, feeCategory: 'PLATFORM_FEES' },
      '+100.00 -3.20 -100.00 +3.20',
    ],
    [
      'of several fees',
      january('date,amount,text,a,b')('02,100,x,-3,-1.50|03,-1,y,,'),
      { columns: { ...COLUMNS, fee: ['a', 'b'] }, feeSign: '-' },
      '+95.50 -1.00',
    ],
    [
      'of a fee that a balance proves',
      january('date,amount,text,fee,balance')('02,-1,x,0,100|03,50,y,-2,148|04,10,y,1,159'),
      { columns: { ...COLUMNS, fee: 'fee', balance: 'balance' } },
      '-1.00 +48.00 +11.00',
    ],
    [
      'of what is left after a fee',
      january('date,amount,text,net')('02,112.50,x,95.26'),
      { columns: { ...COLUMNS, net: 'net' }, feeCategory: 'PLATFORM_FEES' },
      '+112.50 -17.24',
    ],
  ])('is read %s', (_, file, rules, expected, opening = '') => {
    const statement = meaningOf(
      file,
      { ...BASE, columns: COLUMNS, ...rules },
      { opening: opening === '' ? undefined : centsOf(opening) },
    );
    expect(amounts(statement)).toEqual(expected);
  });

  it.each<[fault: string, file: string, rules?: object]>([
    ['all amounts are unsigned: name the column', words('02,5,a,D|03,6,b,K')],
    ['all amounts are unsigned', words('02,5,a,D|03,6,b,D')],
    [
      'most amounts are unsigned: name the column that says which go out',
      words('02,5,a,D|03,6,b,K|04,-1,c,F|05,7,d,D'),
    ],
    [
      'most amounts are unsigned',
      words('02,5,a,Fee|03,6,b,Pay|04,-1,c,Fee|05,7,d,Tax|06,7,e,Sale|07,1,f,Pay|08,2,f,Tax|09,3,g,Pay'),
    ],
    ['line 4 does not add up', running('02,-10,a,90|03,20,b,110|04,-5,c,100|05,-6,d,94')],
    ['most amounts are unsigned', words('02,5,a,D|03,6,b,K|04,-7.99,c,D')],
    [
      'line 3: "k" is in neither "in" nor "out"',
      words('02,5,a,D|03,6,b,K'),
      { columns: DIRECTED, in: 'C', out: 'D' },
    ],
    [
      'line 2: amounts of "in" have a minus: "creditSign": "-" where that is',
      sides('02,-7.99,,a'),
      { columns: SIDES },
    ],
    [
      'line 2: amounts of "out" have a minus: "debitSign"',
      sides('02,,-7,a|03,,-8,b|04,,1,c'),
      { columns: SIDES },
    ],
    ['amounts of "fee" have a minus: "feeSign"', fees('02,-100,a,-3.20'), FEE],
    ['amounts of "fee" have a minus: "feeSign"', fees('02,100,a,-3.20|03,-100,b,3.20'), FEE],
    [
      'line 3 does not add up: the balance goes from 105.00 to 99.00, by -6.00, but the line has 7.00',
      running('02,5,a,105|03,7,b,99'),
      BALANCE,
    ],
    [
      'lines 3 to 4 do not add up: they come to -12.00, and the balance changes by -13.00',
      running('02,-5,a,105|03,-5,b,|04,-7,c,92'),
      BALANCE,
    ],
    ['line 2: nothing proves the sign of 5.00; --opening', running('02,5,a,105|03,7,b,98'), BALANCE],
    [
      'the balance says in, the rules the contrary, and so for all lines',
      running('02,-1,a,105|03,-58,b,163'),
      BALANCE,
    ],
    [
      'line 3 does not add up',
      running('02,-5,a,105|03,-9,b,90|04,-1,c,89'),
      { ...BALANCE, skip: [{ contains: 'b' }] },
    ],
    ['all amounts are unsigned', running('02,5,a,|03,7,b,98|04,9,c,|05,4,d,103'), BALANCE],
    ['line 3: "x" is not an amount', running('02,-5,a,105|03,x,b,90|04,-1,c,89'), BALANCE],
    ['line 3: "n/a" in "balance" is not a balance', running('02,-1,a,105|03,-58,b,n/a'), BALANCE],
  ])('is asked for: %s', (fault, file, rules = {}) => {
    expect(() => meaningOf(file, { ...BASE, columns: COLUMNS, ...rules })).toThrow(fault);
  });

  it('of nothing is passed over, and told', () => {
    const { lines, passed } = meaningOf(fees('02,3.20,a,3.20|03,-1,b,0'), { ...BASE, ...FEE });
    expect([lines.length, passed]).toEqual([1, [{ line: 2, by: 'a fee that takes all of it' }]]);
  });

  it('of the balance counts in spite of the rules', () => {
    const file = january('date,in,out,text,balance')('02,5,,a,105|03,,7,b,98|04,,3,c,101');
    const statement = meaningOf(file, { ...BASE, columns: { ...SIDES, balance: 'balance' } });
    expect(amounts(statement)).toEqual('+5.00 -7.00 +3.00');
  });
});

describe('a file', () => {
  const rules = { ...BASE, columns: COLUMNS, everything: 'in' };
  const utf16 = (text: string, mark: string): Buffer => Buffer.from(mark + text, 'utf16le');

  it.each<[of: string, file: string | Uint8Array, amounts: string, more?: object]>([
    [
      'rows of empty cells and a header that ends in a comma',
      csv('date,amount,text,', '2026-01-02,1,a', ',,', ' , ,', ''),
      '+1.00',
    ],
    ['stray quotes', list('02,1,5" pipe|03,2,"Big" Bob|04,3,"say "hi" now"'), '+1.00 +2.00 +3.00'],
    ['lines in quotes', list('02,1,"two\r\nlines, more"'), '+1.00'],
    ['spaces around quotes', january('date, amount, text')('02, 1, "a, b"'), '+1.00'],
    ['UTF-16', utf16(list('02,1,Zoë'), '\ufeff'), '+1.00'],
    ['UTF-16 without its mark', utf16(list('02,1,Zoe'), ''), '+1.00'],
    ['another encoding', Buffer.from(list('02,1,Zo\u00eb'), 'latin1'), '+1.00', { encoding: 'windows-1252' }],
    [
      'names in NFD',
      january('date,amount,re\u0301f')('02,1,a'),
      '+1.00',
      { columns: { ...COLUMNS, description: 'r\u00e9f' } },
    ],
    [
      'columns of one name that the rules do not use, or by position',
      january('date,amount,text,amount,x,x')('02,100,a,92.10,,'),
      '+92.10',
      { columns: { ...COLUMNS, amount: 4 } },
    ],
    ['more cents than two, of nothing', list('02,12.5000,a|03,0.10,b'), '+12.50 +0.10'],
    ['hundreds of thousands', january('date;amount;text')('02;1,23,456.78;a'), '+123456.78'],
    ['no cents before the mark', list('02,.50,a|03,-.5,b'), '+0.50 -0.50'],
    [
      'currencies and apostrophes',
      january('date;amount;text')('02;CHF 1’234.50;a|02;-CHF5.00;a|02;(5.00 CHF);a|02;5.00-;b'),
      '+1234.50 -5.00 -5.00 -5.00',
    ],
    [
      'decimal commas',
      january('date;amount;text')('02;-1.234,50 €;a|02;1\u202f234,5;b'),
      '-1234.50 +1234.50',
    ],
    ['dashes for nothing', january('date,amount,text')('02,-,a|02,1,b'), '+1.00', { skip: [{ zero: true }] }],
  ])('is read with %s', (_, file, expected, more = {}) => {
    expect(amounts(meaningOf(file, { ...rules, ...more }))).toEqual(expected);
  });

  it.each<[fault: string, file: string | Uint8Array, more?: object]>([
    [
      'line 1 has several columns "amount": name one by its position, 2 or 4',
      january('date,amount,text,amount')('02,1,a,2'),
    ],
    ['line 3: a quoted text has no end', list('02,1,a|03,2,"b|04,3,c')],
    ['FILE is a workbook of a spreadsheet', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['FILE is a workbook of a spreadsheet', Buffer.from('PK\x03\x04')],
    ['amounts are in € and $', list('02,-€10.00,a|03,$20.00,b')],
    ['FILE is not utf-8', Buffer.from('Zo\u00eb', 'latin1')],
    ['"encoding": "klingon" is not known', 'a', { encoding: 'klingon' }],
    ['no line has the columns "date", "sum"', list('02,1,a'), { columns: { ...COLUMNS, amount: 'sum' } }],
    ['may have thousands or decimals: "decimal"', january('date;amount;text')('02;1.234;a')],
    ['has a decimal point and "1,5" a comma', january('date;amount;text')('02;1.5;a|02;1,5;a')],
    [
      'line 3: is in "USD" instead of EUR; "skip"',
      january('date,amount,text,cur')('02,1,a,EUR|02,1,a,USD'),
      { columns: { ...COLUMNS, currency: 'cur' } },
    ],
  ])('is refused: %s', (fault, file, more = {}) => {
    expect(() => meaningOf(file, { ...rules, ...more })).toThrow(fault);
  });

  it.each<[fault: string, line: string, more?: object]>([
    ['has 2 fields, but the line of names has 3', '2026-01-02,1'],
    ['has 4 fields, but the line of names has 3', '2026-01-02,1,a,b'],
    [
      'has a quoted text that runs over whole lines: there is a quote missing, or one too many',
      '2026-01-02,1,"a\n2026-01-03,2,b"',
    ],
    ['"1.005" is not an amount in whole cents', '2026-01-02,1.005,a'],
    ['"12 pieces" is not an amount in whole cents', '2026-01-02,12 pieces,a'],
    ['"5.00 DEB" is not an amount in whole cents', '2026-01-02,5.00 DEB,a'],
    ['has no amount, or it is zero; "skip": [{"zero": true}] passes', '2026-01-02,,a'],
    ['has no amount, or it is zero', '2026-01-02,0,a'],
    ['"2026-02-30" is not a date of the form YYYY-MM-DD', '2026-02-30,1,a'],
    [
      '"1/2/2026" is not a date of the form YYYY-MM-DD: "dateFormat" in the rules names another',
      '1/2/2026,1,a',
    ],
    ['"2026-01-02 soon" has no time of day after the day: " soon"', '2026-01-02 soon,1,a'],
    ['"XYZ" is not a time zone that is known', '2026-01-02 03:00 XYZ,1,a'],
    [
      'is in "a" instead of EUR; "skip" can pass it over',
      '2026-01-02,1,a',
      { currency: 'EUR', columns: { ...COLUMNS, currency: 'text' } },
    ],
    [
      'the parts of the split and 1.00 differ by -1.00',
      '2026-01-02,1,a',
      { rules: [{ contains: 'a', split: [{ category: 'TAXES', amount: 2 }] }] },
    ],
  ])('has a faulty line: %s', (fault, line, more = {}) => {
    const file = csv('date,amount,text', line);
    expect(() => meaningOf(file, { decimal: '.', ...rules, ...more })).toThrow(`line 2: ${fault}`);
  });

  it('has a line whose id is another line’s', () => {
    const file = january('date,amount,text,id')('02,1,a,7|02,1,a,7|02,1,a,-');
    const own = { ...rules, columns: { ...COLUMNS, reference: 'id' } };
    const statement = meaningOf(file, own);
    expect(statement.passed).toEqual([{ line: 3, by: 'the same line before, line 2' }]);
    expect(() => meaningOf(file.replace('1,a,7\n2026-01-02,1,a,-', '2,a,7'), own)).toThrow(
      'line 3: repeats the id "7" of line 2, which differs',
    );
    expect(statement.lines.map(({ reference }) => reference)).toEqual([
      'giro/7',
      expect.stringMatching(/^giro\/2026-01-02\//),
    ]);
  });
});

describe('a day', () => {
  it.each<[text: string, day: string, more?: object]>([
    ['2026-01-01T03:30:00Z', '12-31'],
    ['2026-01-01T03:30:00.000+00:00', '12-31'],
    ['2026-01-01 03:00:00 +0000', '12-31'],
    ['2026-01-01 05:30:00 UTC', '01-01'],
    ['2025-12-31T22:00:00-0800', '01-01'],
    ['2026-01-01 04:59 GMT', '12-31'],
    ['2025-12-31 23:00:00 PST', '01-01'],
    ['2025-12-31 23:00:00', '12-31'],
    ['2026-01-01 12:30 AM', '01-01'],
    ['2026-01-01 03:00', '12-31', { timeZone: 'UTC' }],
    ['2026-01-01 05:30', '12-31', { timeZone: 'Europe/Berlin' }],
    ['2026-01-01', '01-01', { timeZone: 'UTC' }],
  ])('of %s is that of a host in New York, %s', (text, day, more = {}) => {
    const file = csv('date,amount,text', `${text},1,a`);
    const rules = { ...BASE, columns: COLUMNS, everything: 'in', ...more };
    const statement = meaningOf(file, rules, { hostZone: 'America/New_York' });
    expect(shown(statement)[0]?.slice(0, 5)).toBe(day);
  });

  it('is told by columns for the time and its zone', () => {
    const file = january('date,time,zone,amount,text')(
      '01,03:30:00,CET,1,a|01,03:30:00,America/New_York,1,b',
    );
    const columns = { ...COLUMNS, time: 'time', timeZone: 'zone' };
    const statement = meaningOf(
      file,
      { ...BASE, columns, everything: 'in' },
      { hostZone: 'America/New_York' },
    );
    expect(statement.lines.map(({ day, date }) => [day, date])).toEqual([
      ['2025-12-31', '2025-12-31T05:00:00Z'],
      ['2026-01-01', '2026-01-01T05:00:00Z'],
    ]);
  });
});

describe('rules', () => {
  const rules = { ...BASE, columns: COLUMNS, everything: 'in' };

  it.each<[fault: string, rules: object]>([
    ['"rules[0].propety" is unknown: is "property" meant?', { rules: [{ contains: 'a', propety: 'x' }] }],
    ['"colums" is unknown: is "columns" meant?', { colums: {} }],
    ['"columns.ammount" is unknown: is "amount" meant?', { columns: { ammount: 'x' } }],
    ['"skip[0].equal" is unknown: is "equals" meant?', { skip: [{ equal: 'x' }] }],
    [
      '"rules[0].split[0].categry" is unknown: is "category" meant?',
      { rules: [{ split: [{ categry: 'x' }] }] },
    ],
    ['"account" is missing', { account: undefined }],
    ['"columns.date" is missing', { columns: {} }],
    ['columns must be an object', { columns: [] }],
    ['"columns.amount or columns.credit" is missing', { columns: { date: 'a', description: 'b' } }],
    [
      'columns.amount must be the name of a column, or its position',
      { columns: { ...COLUMNS, amount: [0] } },
    ],
    ['rules must be a list', { rules: {} }],
    ['each entry of rules must have a condition', { rules: [{ category: 'TAXES' }] }],
    ['each entry of rules must have a condition, and one of', { rules: [{ contains: 'a' }] }],
    ['each entry of skip must have contains', { skip: [{ column: 'text' }] }],
    ['rules[0].min must be such as 100.00', { rules: [{ min: 'much', category: 'TAXES' }] }],
    ['owed must be true or false', { owed: 'yes' }],
  ])('are refused: %s', (fault, more) => {
    expect(() => meaningOf(list('02,1,a'), { ...rules, ...more })).toThrow(fault);
  });

  it('match on any column, direction and amount, the first that fits', () => {
    const file = january('date,amount,text,kind')(
      '02,5,Rent,X|02,50,b,X|02,-50,b,Y|02,-1,Caf\u00e9,Z|02,-2,b,',
    );
    const matching = [
      { contains: 'rent', direction: 'in', max: 5, category: 'BOOKING_PAYMENT' },
      { direction: 'in', min: '50.00', category: 'CLEANING_FEE' },
      { column: 'kind', equals: 'y', category: 'TAXES' },
      { contains: 'cafe\u0301', category: 'SUPPLIES' },
    ];
    const statement = meaningOf(file, { ...rules, rules: matching, otherwise: { EXPENSE: 'REPAIRS' } });
    const found = shown(statement).map((line) => line.split(' ')[2]);
    expect(found).toEqual(['BOOKING_PAYMENT', 'CLEANING_FEE', 'TAXES', 'SUPPLIES', 'REPAIRS']);
    expect(statement.lines.map(({ isMatched }) => isMatched)).toEqual([true, true, true, true, false]);
  });

  it('split a line by amounts and by columns, and take a booking’s number from a column', () => {
    const file = january('date,amount,text,clean')('02,950,HM1,65|03,-58,b,0');
    const split = [
      { category: 'CLEANING_FEE', column: 'clean' },
      { category: 'PLATFORM_FEES', amount: '-50' },
      { category: 'BOOKING_PAYMENT' },
    ];
    const columns = { ...COLUMNS, bookingReference: 'text' };
    const statement = meaningOf(file, { ...rules, columns, rules: [{ contains: 'hm', split }] });
    expect(shown(statement)).toEqual([
      '01-02 +65.00 CLEANING_FEE',
      '01-02 -50.00 PLATFORM_FEES',
      '01-02 +935.00 BOOKING_PAYMENT',
      '01-03 -58.00 OTHER_EXPENSE',
    ]);
    expect(statement.lines[0]?.bookingReference).toBe('HM1');
  });

  it('pass transfers over, and say by which rule', () => {
    const statement = meaningOf(list('02,5,Airbnb payout|03,6,b'), {
      ...rules,
      rules: [{ contains: 'airbnb', transfer: true }],
    });
    expect(statement.passed).toEqual([{ line: 2, by: 'rule 1 {"contains":"airbnb","transfer":true}' }]);
    expect(amounts(statement)).toEqual('+6.00');
  });
});

describe('a standard file', () => {
  const ofx = (lines: string, head = ''): string =>
    `${head || 'OFXHEADER:100\nDATA:OFXSGML\n\n'}<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST>${lines}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`;
  const line = (posted: string, amount: string, more = ''): string =>
    `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${posted}<TRNAMT>${amount}<FITID>${posted}${amount}<NAME>a${more}</STMTTRN>`;

  it('of OFX 1 and 2 has its signs, ids and zones', () => {
    const one = meaningOf(
      ofx(
        line('20260101033000.000[0:GMT]', '5.00', '<ORIGCURRENCY><CURSYM>USD</ORIGCURRENCY>') +
          line('20260101', '-7.50', '<MEMO>\n'),
      ),
      BASE,
      { hostZone: 'America/New_York' },
    );
    expect(shown(one)).toEqual(['12-31 +5.00 OTHER_INCOME', '01-01 -7.50 OTHER_EXPENSE']);
    const xml = line('20260102010000[-5:EST]', '-5.00').replaceAll(/<(\w+)>([^<]+)/g, '<$1>$2</$1>');
    const two = meaningOf(
      ofx(xml, '<?xml version="1.0"?>\n<?OFX OFXHEADER="200" VERSION="220"?>\n')
        .replace('<CURDEF>EUR', '<CURDEF>EUR</CURDEF>')
        .replace('<ACCTID>1', '<ACCTID>1</ACCTID>'),
      BASE,
    );
    expect([shown(two), two.lines[0]?.reference]).toEqual([
      ['01-02 -5.00 OTHER_EXPENSE'],
      'giro/20260102010000[-5:EST]-5.00',
    ]);
  });

  it('of OFX with amounts without signs beside their type has faulty lines', () => {
    const columns = { direction: 'TRNTYPE' };
    const file = ofx(line('20260102', '5.00').replace('OTHER', 'DEBIT'));
    expect(() => meaningOf(file, BASE)).toThrow('is a DEBIT of 5.00, which contradict each other');
    expect(amounts(meaningOf(file, { ...BASE, columns, in: 'CREDIT', out: 'DEBIT' }))).toEqual('-5.00');
    expect(() =>
      meaningOf(file, { ...BASE, rules: [{ column: 'Text', contains: 'a', category: 'TAXES' }] }),
    ).toThrow('the file has no Text; it has DTPOSTED,');
  });

  it('of several accounts is refused until a column names them', () => {
    const file = ofx(line('20260102', '1.00')).replace(
      '</STMTRS>',
      '</STMTRS><STMTRS><BANKACCTFROM><ACCTID>2</BANKACCTFROM></STMTRS>',
    );
    expect(() => meaningOf(file, BASE)).toThrow('the file has the accounts 1, 2: name columns.account');
    const { lines } = meaningOf(file, { ...BASE, columns: { account: 'ACCTID' } });
    expect(lines[0]?.reference).toBe('giro 1/201601021.00'.replace('2016', '2026'));
  });

  it('of CAMT that has lost an entry is refused', () => {
    const camt = (
      closing: string,
    ): string => `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>X1</IBAN></Id></Acct>
      <Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1</Amt><CdtDbtInd>DBIT</CdtDbtInd></Bal>
      <Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${closing}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-01-31</Dt></Dt></Bal>
      <Ntry><Amt Ccy="EUR">5</Amt><CdtDbtInd>CRDT</CdtDbtInd><RvslInd>true</RvslInd><Sts>BOOK</Sts><BookgDt><DtTm>2026-01-02T00:00:00+01:00</DtTm></BookgDt><NtryDtls><TxDtls><RmtInf><Ustrd>Stay</Ustrd><Ustrd>B-3001</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
      </Stmt></BkToCstmrStmt></Document>`;
    const statement = meaningOf(camt('4'), BASE);
    expect([shown(statement), statement.lines[0]?.text, statement.closings]).toEqual([
      ['01-01 +5.00 OTHER_INCOME'],
      'Stay B-3001',
      ['4 EUR on 2026-01-31'],
    ]);
    expect(() => meaningOf(camt('7'), BASE)).toThrow(
      'the entries of X1, from -1 to 7, do not add up: they come to 5.00, and the balance changes by 8.00',
    );
    expect(() => meaningOf(camt('4').replace('</Ntry>', ''), BASE)).toThrow(/^line \d+: /);
  });
});
