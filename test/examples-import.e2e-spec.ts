import { fileURLToPath } from 'node:url';
import type { Client } from './support/client.js';
import type { Fault, Gateway } from './support/gateway.js';
import { type ScriptSetup, setUpScript } from './support/examples/script-setup.js';
import { Folder, type Run, runScript } from './support/examples/script.js';
import { createProperty } from './support/factories.js';
import { type Service } from './support/service.js';
import { signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url));
const SCRIPT = 'import-bank-csv.mjs';
const CREATE = 'POST /api/transactions';
const SEARCH = 'POST /api/transactions/search';
const SIGN_IN = 'POST /api/auth/signin';
const WRONG = { PROPERTY_FINANCE_PASSWORD: 'wrong' };
const HEADER = 'date,amount,text';
const RULES = { columns: { date: 'date', amount: 'amount', description: 'text' }, property: 'Home' };
const HOME = { ...RULES, rules: [{ contains: 'rent', category: 'BOOKING_PAYMENT' }] };

const folder = new Folder();

const filesOf = (csv: string | Uint8Array, rules: object = HOME): string[] => [
  folder.file(csv),
  folder.file(JSON.stringify(rules)),
];
const csvOf = (...lines: string[]): string => [HEADER, ...lines].join('\n');

describe('a dry run of the bank import', () => {
  const dryRun = (
    csv: string | Uint8Array,
    args: readonly string[] = [],
    rules: object = HOME,
  ): Promise<Run> => runScript(SCRIPT, ['--dry-run', ...args, ...filesOf(csv, rules)]);
  const EUROPEAN = ['--decimal', ',', '--date-format', 'DD.MM.YYYY'];
  const income = (amount: string, text: string): string =>
    `2026-01-02  INCOME   ${amount.padStart(10)}  OTHER_INCOME          Home  ${text}`;
  const expense = (amount: string, text: string): string =>
    `2026-01-02  EXPENSE  ${amount.padStart(10)}  OTHER_EXPENSE         Home  ${text}`;

  it.each<[string, string | Uint8Array, string[], string[]]>([
    [
      'quotes, separators and line breaks in quotes, and passes over empty lines',
      csvOf(
        '2026-01-02,12.5,a',
        '',
        '2026-01-02,-7,b',
        '2026-01-02,\u22125.05,"say ""a, b"""',
        '"2026-01-02","99999999999999999.99","two\r\nlines"',
        '2026-01-02,0.01,5" pipe',
        `2026-01-02,1,${'😀'.repeat(255)}`,
      ),
      [],
      [
        income('12.50', 'a'),
        expense('7.00', 'b'),
        expense('5.05', 'say "a, b"'),
        income('99999999999999999.99', 'two lines'),
        income('0.01', '5" pipe'),
        income('1.00', '😀'.repeat(255)),
      ],
    ],
    ['a byte order mark and CR LF', `\ufeff${HEADER}\r\n2026-01-02,1,a\r\n`, [], [income('1.00', 'a')]],
    ['CR alone', `${HEADER}\r2026-01-02,1,a\r`, [], [income('1.00', 'a')]],
    [
      'semicolons, a decimal comma and days first',
      'date;amount;text\n02.01.2026;-1.234.567,8;a\n2.1.2026;+1 000,00;b\n',
      EUROPEAN,
      [expense('1234567.80', 'a'), income('1000.00', 'b')],
    ],
    [
      'tabs, with commas in the text',
      'date\tamount\ttext\n2026-01-02\t1\ta, b\n',
      [],
      [income('1.00', 'a, b')],
    ],
    [
      'lines before the names of the columns, and columns of no interest',
      'My bank; "Main" account\n\nbalance;text;amount;date\n1;a;2;2026-01-02\n',
      [],
      [income('2.00', 'a')],
    ],
    [
      'a given separator',
      'date,amount,text;date;amount;text\nx;2026-01-02;1;a',
      ['--separator', ';'],
      [income('1.00', 'a')],
    ],
    [
      'months first, and an American grouping',
      csvOf('01/02/2026,"-1,234,567.89",a'),
      ['--date-format', 'MM/DD/YYYY'],
      [expense('1234567.89', 'a')],
    ],
    [
      'another encoding',
      Buffer.from(csvOf('2026-01-02,1,Zo\u00eb'), 'latin1'),
      ['--encoding', 'windows-1252'],
      [income('1.00', 'Zo\u00eb')],
    ],
  ])('reads %s', async (_, csv, args, expected) => {
    const { code, out, err } = await dryRun(csv, args);
    const lines = out.split('\n').slice(0, -2);
    expect({ code, err, lines: lines.map((line) => line.replace(/^line \d+ +/, '')) }).toEqual({
      code: 0,
      err: '',
      lines: expected,
    });
  });

  it('takes category and property of the first rule whose text is in the line', async () => {
    const rules = {
      ...RULES,
      rules: [
        { contains: 'City Power', category: 'UTILITIES', property: 'Loft' },
        { contains: 'power', category: 'SUPPLIES' },
      ],
      otherwise: { EXPENSE: 'REPAIRS' },
    };
    const csv = csvOf(
      '2026-01-02,-1,CITY POWER',
      '2026-01-02,-2,Powerful soap',
      '2026-01-02,-3,c',
      '2026-01-02,4,d',
    );
    const { out } = await dryRun(csv, ['--property', 'Barn'], rules);
    const columns = out.split('\n').map((line) => line.split(/ {2,}/).slice(4, 6).join(' of '));
    expect(columns.slice(0, 4)).toEqual([
      'UTILITIES of Loft',
      'SUPPLIES of Barn',
      'REPAIRS of Barn',
      'OTHER_INCOME of Barn',
    ]);
  });

  it('names the line of each fault, and goes on', async () => {
    const faulty = [
      '2026-02-30,1,no such day',
      '02.01.2026,1,another form',
      '2026-01-02,1.005,no whole cents',
      '2026-01-02,1.23.4,',
      '2026-01-02,"1,23",',
      '2026-01-02,12 pieces,',
      '2026-01-02,,',
      '2026-01-02,0.00,nothing',
      '2026-01-02,1',
      '2026-01-02,1,"two\nlines",more',
    ];
    const { code, out, err } = await dryRun(csvOf(...faulty, '2026-01-02,1,good'), ['--decimal', '.']);
    expect({ code, out: out.split('\n') }).toEqual({
      code: 1,
      out: [`line 13   ${income('1.00', 'good')}`, '1 lines would be sent, 10 cannot be understood.', ''],
    });
    expect(err.split('\n')).toEqual([
      'line 2: "2026-02-30" is no date of the form YYYY-MM-DD',
      'line 3: "02.01.2026" is no date of the form YYYY-MM-DD; see --date-format, DD.MM.YYYY perhaps',
      'line 4: "1.005" is no amount of whole cents',
      'line 5: "1.23.4" is no amount of whole cents',
      'line 6: "1,23" is no amount of whole cents',
      'line 7: "12 pieces" is no amount of whole cents',
      'line 8: "" is no amount of whole cents',
      'line 9: no money has moved; "skip": [{"zero": true}] of the rules passes over such lines',
      'line 10: has 2 fields, and the line of column names 3',
      'line 11: has 4 fields, and the line of column names 3',
      '',
    ]);
  });

  it.each<[string, string[], RegExp]>([
    ['one file only', [folder.file('')], /^two files are wanted/],
    ['an unknown option', ['--sep', ';'], /^Unknown option '--sep'/],
    [
      'a date without a year',
      ['--date-format', 'DD.MM', ...filesOf(HEADER)],
      /^--date-format does not take "DD\.MM"/,
    ],
    ['too much at a time', ['--concurrency', '17', ...filesOf(HEADER)], /^--concurrency does not take "17"/],
    ['a file that is not there', ['/none', folder.file(JSON.stringify(HOME))], /^ENOENT: .* '\/none'/],
    ['a quote that does not end', filesOf(csvOf('2026-01-02,1,"a')), /: line 2: a quoted field does not end/],
    [
      'another encoding than it says',
      filesOf(Buffer.from([...Buffer.from(HEADER), 0xff])),
      /is not utf-8; see --enc/,
    ],
    ['an unknown encoding', ['--encoding', 'x', ...filesOf(HEADER)], /encoding/],
  ])('refuses %s as a whole', async (_, args, message) => {
    const { code, out, err } = await runScript(SCRIPT, ['--dry-run', ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  it('understands the sample data', async () => {
    const args = ['--dry-run', ...EUROPEAN, `${EXAMPLES}bank.csv`, `${EXAMPLES}rules.json`];
    const { code, out } = await runScript(SCRIPT, args);
    expect(code).toBe(0);
    expect(out).toContain('7 lines would be sent, 0 cannot be understood.');
  });
});

describe('the bank import', () => {
  let setup: ScriptSetup;
  let service: Service;
  let proxy: Gateway;
  let owner: Client;
  const account = signUpRequest();

  beforeAll(async () => {
    setup = await setUpScript(account);
    ({ service, proxy, owner } = setup);
    await createProperty(owner, { name: 'Home' });
  });
  beforeEach(async () => {
    proxy.forget();
    await service.sql('DELETE FROM transactions');
  });

  const importing = (csv: string, args: readonly string[] = [], rules: object = HOME): Promise<Run> => {
    const options = ['--url', proxy.url, '--user', account.username, ...args];
    const env = { PROPERTY_FINANCE_PASSWORD: account.password };
    return runScript(SCRIPT, [...options, ...filesOf(csv, rules)], env);
  };
  const descriptions = async (): Promise<string[]> =>
    (await service.sql<{ description: string }>('SELECT description FROM transactions'))
      .map(({ description }) => description)
      .toSorted();
  const done = (created: number, present: number, faults = 0): string =>
    `${created} recorded, ${present} there already, ${faults} not recorded.\n`;

  it('records each line, to the cent, and what is too long for a description in the notes', async () => {
    const long = '😀'.repeat(256);
    const csv = csvOf('2026-01-02,99999999999999999.99,rent', `2026-12-31,-0.10,${long}`);
    expect(await importing(csv)).toEqual({ code: 0, out: done(2, 0), err: '' });
    const stored = await service.sql(
      `SELECT type, category, description, notes, amount::text, date, status FROM transactions ORDER BY date`,
    );
    expect(stored).toEqual([
      {
        type: 'INCOME',
        category: 'BOOKING_PAYMENT',
        description: 'rent',
        notes: null,
        amount: '99999999999999999.99',
        date: new Date('2026-01-02T00:00:00Z'),
        status: 'PAID',
      },
      {
        type: 'EXPENSE',
        category: 'OTHER_EXPENSE',
        description: `${'😀'.repeat(254)}…`,
        notes: long,
        amount: '0.10',
        date: new Date('2026-12-31T00:00:00Z'),
        status: 'PAID',
      },
    ]);
  });

  it('records nothing twice, equal lines included, nor after the separators or the rules have changed', async () => {
    const january = ['2026-01-02,1,rent', '2026-01-02,1,rent', '2026-01-03,1,rent'];
    expect((await importing(csvOf(...january))).out).toBe(done(3, 0));
    expect((await importing(csvOf(...january))).out).toBe(done(0, 3));
    const later = csvOf(...january.slice(1), '2026-01-03,1,rent', '2026-02-01,1,new').replaceAll(',', ';');
    const rules = { ...HOME, rules: [{ contains: 'rent', category: 'OTHER_INCOME' }] };
    expect((await importing(later, [], rules)).out).toBe(done(2, 2));
    expect(await descriptions()).toEqual(['new', 'rent', 'rent', 'rent', 'rent']);
  });

  it('tells what the service says of each faulty line, and records all others', async () => {
    const rules = {
      ...RULES,
      rules: [
        { contains: 'gift', category: 'GIFT' },
        { contains: 'barn', category: 'REPAIRS', property: 'Barn' },
      ],
    };
    const csv = csvOf('2026-01-02,1,gift', '2026-01-02,1,x', '2026-01-02,-1,barn', '2026-13-01,1,y');
    const { code, out, err } = await importing(csv, [], rules);
    expect({ code, out }).toEqual({ code: 1, out: done(1, 0, 3) });
    expect(err.split('\n')).toEqual([
      expect.stringMatching(/^line 2: Validation failed: category must be one of /),
      'line 4: there is no property "Barn"',
      'line 5: "2026-13-01" is no date of the form YYYY-MM-DD',
      '',
    ]);
    expect(await descriptions()).toEqual(['x']);
  });

  it('records each line once, whatever becomes of the answers', async () => {
    const busy = { status: 503, headers: { 'retry-after': '0' } };
    const answers: readonly Fault[][] = [
      ['lost'], // after the service has recorded it
      [busy],
      [{ status: 502 }, 'lost'],
      [{ status: 401 }],
      [busy, busy, busy, 'lost'], // the last but one attempt
    ];
    proxy.next(CREATE, ...answers.flatMap((faults) => [...faults, undefined]));
    const csv = csvOf(...['a', 'b', 'c', 'd', 'e'].map((text) => `2026-01-02,1,${text}`));
    expect(await importing(csv, ['--concurrency', '1'])).toEqual({ code: 0, out: done(5, 0), err: '' });
    expect(await descriptions()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(proxy.seen.filter((kind) => kind === CREATE)).toHaveLength(2 + 2 + 3 + 2 + 5);
  });

  it('asks again for what changes nothing, and renews its token once for all that wait', async () => {
    const refused = { status: 401 };
    const times = (wanted: string): number => proxy.seen.filter((kind) => kind === wanted).length;
    proxy.next(SEARCH, 'lost', refused, refused, refused);
    proxy.next(SIGN_IN, undefined, () => until(() => times(SEARCH) === 4));
    const csv = csvOf('2026-01-02,1,a', '2026-01-02,2,b', '2026-01-02,3,c', '2026-01-02,4,d');
    expect((await importing(csv)).out).toBe(done(4, 0));
    expect(await descriptions()).toEqual(['a', 'b', 'c', 'd']);
    expect(times(SIGN_IN)).toBe(2);
  });

  it('does not try on when the service is gone, and says which lines are missing', async () => {
    const busy = { status: 503, headers: { 'retry-after': '0' } };
    proxy.next(SEARCH, ...Array.from({ length: 5 }, () => busy));
    const { code, out, err } = await importing(csvOf('2026-01-02,1,a', '2026-01-02,1,b'), [
      '--concurrency',
      '1',
    ]);
    expect({ code, out }).toEqual({ code: 1, out: done(0, 0, 2) });
    expect(err.split('\n').slice(0, 2)).toEqual([
      'line 2: The service does not answer: status 503',
      'line 3: not tried: the service no longer answers',
    ]);
  });

  it('takes the property by its id, and no name that several have or that is missing', async () => {
    await createProperty(owner, { name: 'Twin' });
    const { id } = await createProperty(owner, { name: 'Twin' });
    const rules = {
      columns: RULES.columns,
      rules: [
        { contains: 'twin', category: 'REPAIRS', property: 'Twin' },
        { contains: 'second', category: 'REPAIRS', property: String(id) },
      ],
    };
    const { out, err } = await importing(
      csvOf('2026-01-02,1,twin', '2026-01-02,1,second', '2026-01-02,1,c'),
      [],
      rules,
    );
    expect({ out, err: err.split('\n') }).toEqual({
      out: done(1, 0, 2),
      err: [
        'line 2: there are several properties "Twin"',
        'line 4: neither RULES.json nor --property says to which property it belongs',
        '',
      ],
    });
    expect(await service.sql('SELECT property_id FROM transactions')).toEqual([{ property_id: String(id) }]);
  });

  it.each<[string, Record<string, string>, number, RegExp]>([
    ['', {}, 2, /^--user NAME is missing/],
    ['--user x', {}, 2, /^set PROPERTY_FINANCE_PASSWORD/],
    [`--user ${account.username}`, WRONG, 3, /^Authentication failed: The user.* is wrong\.\n$/],
    ['--user x --url http://127.0.0.1:2', WRONG, 3, /^The service .*: ECONNREFUSED\n$/],
    ['--user x --url localhost:8080', {}, 2, /^--url: "localhost:8080" is no address/],
  ])('does not begin with "%s" and %j', async (words, env, expected, message) => {
    const args = [...words.split(' ').filter(Boolean), ...filesOf(csvOf())];
    const { code, out, err } = await runScript(SCRIPT, args, { PROPERTY_FINANCE_URL: service.url, ...env });
    expect({ code, out }).toEqual({ code: expected, out: '' });
    expect(err).toMatch(message);
  });

  it('does not take whatever answers for the service', async () => {
    proxy.next(SIGN_IN, { status: 200 });
    expect(await importing(csvOf())).toEqual({
      code: 3,
      out: '',
      err: 'Something answers, but it is not the service; see --url\n',
    });
  });

  it('explains itself', async () => {
    const { code, out } = await runScript(SCRIPT, ['--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: node import-bank-csv\.mjs /);
  });
});
