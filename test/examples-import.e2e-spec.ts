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
  /** The signed amount and the text of each line of 2 January. */
  const shown = ({ out }: Run): string[] =>
    [...out.matchAll(/^line \d+ +2026-01-02 +(INCOME|EXPENSE) +(\S+) +OTHER_\1 +Home +(.*)$/gm)].map(
      ([, type, amount, text]) => `${type === 'INCOME' ? '+' : '-'}${amount} ${text}`,
    );

  const quoted = csvOf(
    ...['2026-01-02,12.5,a', '', '2026-01-02,-7,b', '2026-01-02,\u22125.05,"say ""a, b"""'],
    ...['"2026-01-02","99999999999999999.99","two\r\nlines"', '2026-01-02,0.01,5" pipe'],
    `2026-01-02,1,${'😀'.repeat(255)}`,
  );
  const quotedRows = [
    ...['+12.50 a', '-7.00 b', '-5.05 say "a, b"', '+99999999999999999.99 two lines', '+0.01 5" pipe'],
    `+1.00 ${'😀'.repeat(255)}`,
  ];
  const days = csvOf('2 Jan 2026,1,a', '02 January 2026,2,b', '02 JAN. 2026,3,c');
  const months = csvOf('01/02/2026,"-1,234,567.89",a');
  const semicolons = 'date;amount;text\n02.01.2026;-1.234.567,8;a\n2.1.2026;+1 000,00;b\n';
  const preamble = 'My bank; "Main" account\n\nbalance;text;amount;date\n1;a;2;2026-01-02\n';
  const twice = 'date,amount,text;date;amount;text\nx;2026-01-02;1;a';
  const latin = Buffer.from(csvOf('2026-01-02,1,Zo\u00eb'), 'latin1');

  it.each<[string, string | Uint8Array, string[], string[]]>([
    ['quotes, line breaks in quotes and empty lines', quoted, [], quotedRows],
    ['a byte order mark and CR LF', `\ufeff${HEADER}\r\n2026-01-02,1,a\r\n`, [], ['+1.00 a']],
    ['CR alone', `${HEADER}\r2026-01-02,1,a\r`, [], ['+1.00 a']],
    ['semicolons, a decimal comma and days first', semicolons, EUROPEAN, ['-1234567.80 a', '+1000.00 b']],
    ['tabs, with commas in the text', 'date\tamount\ttext\n2026-01-02\t1\ta, b\n', [], ['+1.00 a, b']],
    ['lines before the columns, and other columns', preamble, [], ['+2.00 a']],
    ['a given separator', twice, ['--separator', ';'], ['+1.00 a']],
    ['months first, and commas in amounts', months, ['--date-format', 'MM/DD/YYYY'], ['-1234567.89 a']],
    ['names of months', days, ['--date-format', 'DD MMM YYYY'], ['+1.00 a', '+2.00 b', '+3.00 c']],
    ['days without marks', csvOf('20260102,1,a'), ['--date-format', 'YYYYMMDD'], ['+1.00 a']],
    ['another encoding', latin, ['--encoding', 'windows-1252'], ['+1.00 Zo\u00eb']],
  ])('reads %s', async (_, csv, args, expected) => {
    const run = await dryRun(csv, args);
    expect({ code: run.code, err: run.err, rows: shown(run) }).toEqual({ code: 0, err: '', rows: expected });
  });

  it('reads columns by their position in a file without a line of names', async () => {
    const rules = { ...RULES, columns: { date: 1, amount: 3, description: 2 } };
    const run = await dryRun('2026-01-02;a;1,5\n2026-01-02;b;-2,00;\n', [], rules);
    expect([run.code, shown(run)]).toEqual([0, ['+1.50 a', '-2.00 b']]);
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
      ...['2026-02-30,1,no such day', '02.01.2026,1,another form', '2026-01-02,1.005,no whole cents'],
      ...['2026-01-02,1.23.4,', '2026-01-02,"1,23",', '2026-01-02,12 pieces,', '2026-01-02,,'],
      ...['2026-01-02,0.00,nothing', '2026-01-02,1', '2026-01-02,1,"two\nlines",more'],
    ];
    const run = await dryRun(csvOf(...faulty, '2026-01-02,1,good'), ['--decimal', '.']);
    expect([run.code, shown(run)]).toEqual([1, ['+1.00 good']]);
    expect(run.out).toContain('1 lines would be sent, 10 cannot be understood.');
    expect(run.err.split('\n')).toEqual([
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
    ...[
      ...['--date-format DD.MM', '--date-format MMMM', '--date-format yyyy-mm-dd', '--concurrency 17'],
      ...['--time-zone EST', '--time-zone Mars/Phobos'],
    ].map((option): [string, string[], RegExp] => {
      const [name, value] = option.split(' ') as [string, string];
      return [option, [name, value, ...filesOf(HEADER)], new RegExp(`^${name} does not take "${value}"`)];
    }),
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

  const importing = (
    csv: string,
    args: readonly string[] = [],
    rules: object = HOME,
    zone: Record<string, string> = {},
  ): Promise<Run> => {
    const options = ['--url', proxy.url, '--user', account.username, ...args];
    const env = { PROPERTY_FINANCE_PASSWORD: account.password, ...zone };
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
    const stored = await service.sql<Record<string, unknown>>(
      `SELECT type, category, description, notes, amount, status, date = date_trunc('day', date, 'UTC') AS day
         FROM transactions ORDER BY date`,
    );
    expect(stored.map((row) => Object.values(row))).toEqual([
      ['INCOME', 'BOOKING_PAYMENT', 'rent', null, '99999999999999999.99', 'PAID', true],
      ['EXPENSE', 'OTHER_EXPENSE', `${'😀'.repeat(254)}…`, long, '0.10', 'PAID', true],
    ]);
  });

  it.each<[zone: string, by: 'option' | 'environment', day: string, instant: string]>([
    ['America/New_York', 'option', '2026-03-09', '2026-03-09T04:00:00Z'],
    ['America/New_York', 'environment', '2026-01-01', '2026-01-01T05:00:00Z'],
    ['America/Sao_Paulo', 'option', '2018-11-04', '2018-11-04T03:00:00Z'], // clocks skip midnight
    ['America/Havana', 'option', '2025-11-02', '2025-11-02T04:00:00Z'], // clocks show midnight twice
  ])('records the first instant of a day in %s, set by an %s', async (zone, by, day, instant) => {
    const args = by === 'option' ? ['--time-zone', zone] : [];
    await importing(
      csvOf(`${day},1,rent`),
      args,
      HOME,
      by === 'option' ? {} : { PROPERTY_FINANCE_TIME_ZONE: zone },
    );
    const date = new Date(instant);
    expect(await service.sql('SELECT date, paid_at FROM transactions')).toEqual([{ date, paid_at: date }]);
    const report = await owner.get(`/api/reports/profit-and-loss?from=${day}&to=${day}&timeZone=${zone}`);
    expect(report.json).toMatchObject({ total: { income: 1 } });
  });

  it('records a line with its fee or not at all, and neither twice', async () => {
    const columns = { ...RULES.columns, fee: 'fee' };
    const csv =
      'date,amount,text,fee\n2026-01-02,100.00,rent,3.20\n2026-01-02,1.00,x,100000000000000000000.00';
    const rules = { ...HOME, columns, feeCategory: 'PLATFORM_FEES' };
    const { out, err } = await importing(csv, [], rules);
    expect(out).toBe(done(1, 0, 1));
    expect(err).toMatch(/^line 3: Validation failed: /);
    expect((await importing(csv, [], rules)).out).toBe(done(0, 1, 1));
    const stored = await service.sql('SELECT type, category, amount::text FROM transactions ORDER BY type');
    expect(stored).toEqual([
      { type: 'EXPENSE', category: 'PLATFORM_FEES', amount: '3.20' },
      { type: 'INCOME', category: 'BOOKING_PAYMENT', amount: '100.00' },
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
    const rules = { ...RULES, rules: [{ contains: 'barn', category: 'REPAIRS', property: 'Barn' }] };
    const csv = csvOf(
      '2026-01-02,999999999999999999.99,y',
      '2026-01-02,1,x',
      '2026-01-02,-1,barn',
      '2026-13-01,1,y',
    );
    const { code, out, err } = await importing(csv, [], rules);
    expect({ code, out }).toEqual({ code: 1, out: done(1, 0, 3) });
    expect(err.split('\n')).toEqual([
      expect.stringMatching(/^line 2: Validation failed: amount /),
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
