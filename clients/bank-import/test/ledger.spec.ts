import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '../../../test/support/client.js';
import { createProperty } from '../../../test/support/factories.js';
import { type Service, startService } from '../../../test/support/service.js';
import { signedIn, signUp, signUpRequest } from '../../../test/support/sign-up.js';
import type { Journal } from '../src/sending/journal.js';
import { BASE, COLUMNS, fileOf, newFolder, type Run, runTool } from './tool.js';

const RULES = {
  ...BASE,
  columns: COLUMNS,
  everything: 'in',
  rules: [{ contains: 'rent', category: 'BOOKING_PAYMENT' }],
};
const list = (...lines: string[]): string =>
  ['date,amount,text', ...lines.map((line) => `2026-${line}`)].join('\n');
const JANUARY = list('01-02,500,Rent', '01-02,-3,Coffee', '01-31,-3,Coffee');

let service: Service;
let owner: Client;
let login: string[];
let env: Record<string, string>;
let folder: string;

beforeAll(async () => (service = await startService()));
beforeEach(async () => {
  const account = signUpRequest();
  await signUp(service.anonymous, account);
  owner = await signedIn(service.anonymous, account);
  await createProperty(owner, { name: 'Home' });
  await service.sql('DELETE FROM transactions');
  login = ['--url', service.url, '--user', account.username];
  env = { PROPERTY_FINANCE_PASSWORD: account.password };
  folder = newFolder();
});

/** Runs with a bank's file, and the rules in the folder of the test. */
const run = (content: string, rules: object = RULES, ...args: string[]): Promise<Run> =>
  runTool([...login, ...args, fileOf(content), fileOf(JSON.stringify(rules), 'rules.json', folder)], env);
const stored = async (columns = 'type, amount, description'): Promise<unknown[][]> =>
  (await service.sql<Record<string, unknown>>(`SELECT ${columns} FROM transactions ORDER BY id`)).map((row) =>
    Object.values(row),
  );
const tallyOf = ({ out, err }: Run): string => /^\d+ new, .*$/m.exec(out)?.[0] ?? err;
const journals = (): string[] =>
  readdirSync(join(folder, 'bank-import-runs'))
    .sort()
    .map((name) => join(folder, 'bank-import-runs', name));
const journalOf = (path: string): Journal => JSON.parse(readFileSync(path, 'utf8')) as Journal;

it('records each line once, and reports on every line', async () => {
  const first = await run(JANUARY);
  const [path] = journals();
  expect(first).toEqual({
    code: 0,
    err: `The journal, for undo: ${path!}\n`,
    out: [
      'line 2    new    2026-01-02        500.00  BOOKING_PAYMENT       Home  Rent',
      'line 3    new    2026-01-02         -3.00  OTHER_EXPENSE         Home  Coffee',
      'line 4    new    2026-01-31         -3.00  OTHER_EXPENSE         Home  Coffee',
      '',
      '3 lines read: 1 in, 2 out, 0 passed over',
      '  by no rule: 2 lines (3, 4)',
      'in 500.00, out -6.00, together 494.00',
      '3 new, 0 there already',
      '',
    ].join('\n'),
  });
  expect(await stored('type, amount, description, status, payment_reference')).toEqual([
    ['INCOME', '500.00', 'Rent', 'PAID', expect.stringMatching(/^giro\/2026-01-02\/[\da-f]{32}$/)],
    ...[2, 31].map((day): unknown[] => [
      'EXPENSE',
      '3.00',
      'Coffee',
      'PAID',
      expect.stringContaining(`-${String(day).padStart(2, '0')}/`),
    ]),
  ]);
  expect(tallyOf(await run(JANUARY, RULES, '--dry-run'))).toBe('0 new, there already: 3 lines (2 to 4)');
  const overlapping = list(
    '01-02,500.00,RENT',
    '01-02,-3.00,Coffee',
    '01-02,-3,Coffee',
    '01-31,-3,Coffee',
    '02-01,1,a',
  );
  const dry = await run(overlapping, RULES, '--dry-run');
  expect([tallyOf(dry), (await stored()).length, journals().length]).toEqual([
    '2 new, there already: 3 lines (2, 3, 5)',
    3,
    1,
  ]);
  expect(tallyOf(await run(overlapping))).toBe('2 new, there already: 3 lines (2, 3, 5)');
  expect(await stored()).toHaveLength(5);
});

it('records one reservation once, however its file is printed, and each account by itself', async () => {
  const rules = JSON.parse(readFileSync('clients/bank-import/layouts/airbnb.json', 'utf8')) as object;
  const [head, line] = [
    'Date,Type,Confirmation code,Guest,Listing,Currency,Amount,Gross earnings',
    '01/05/2026,Reservation,HMABCDEFGH,Zoe,Harbour Loft,EUR,97.00,100.00',
  ];
  const prints = [
    line,
    line.replace('Loft', 'Loft - Sea View'),
    line.replace('97.00', '97'),
    line.replace('01/05', '1/5'),
  ];
  for (const print of [...prints, `${line},2026`].map((text) => text.replace(/^(.*,2026)$/, '$1')))
    await run(`${print.endsWith(',2026') ? `${head},Year` : head}\n${print}`, { ...rules, property: 'Home' });
  expect(await stored()).toHaveLength(2); // with the fee
  await run(`${head}\n${line}`, { ...rules, property: 'Home', account: 'Second' });
  expect(await stored()).toHaveLength(4);
});

it('leaves corrections of the ledger alone, and a part that was deleted', async () => {
  const fee = { ...RULES, columns: { ...COLUMNS, fee: 'fee' }, feeCategory: 'PLATFORM_FEES' };
  const file = 'date,amount,text,fee\n2026-01-02,100,Rent,3\n2026-01-03,50,Rent,';
  await run(file, fee);
  await createProperty(owner, { name: 'Barn' });
  await service.sql(
    `UPDATE transactions SET amount = 99, category = 'TAXES', date = '2025-05-05T00:00Z' WHERE amount = 100`,
  );
  await service.sql(`DELETE FROM transactions WHERE amount = 3`);
  const { out } = await run(file, fee);
  expect(out).toContain('0 new, there already: 2 lines (2, 3)');
  expect(await stored('amount')).toEqual([['99.00'], ['50.00']]);
});

describe('an equal line of the day on which two files meet', () => {
  const FEBRUARY = list('01-31,-3,Coffee', '02-01,7,a');

  it('is asked for, and is the same or another', async () => {
    await run(JANUARY);
    const asked = await run(FEBRUARY);
    expect(asked).toMatchObject({ code: 1, out: '' });
    expect(asked.err).toMatch(
      /^line 2: an earlier file also ends or begins on 2026-01-31, and has an equal line: --cut days/,
    );
    expect(await stored()).toHaveLength(3);
    expect(tallyOf(await run(FEBRUARY, { ...RULES, cut: 'days' }, '--dry-run'))).toBe(
      '1 new, there already: 1 line (2)',
    );
    expect(tallyOf(await run(FEBRUARY, RULES, '--cut', 'within'))).toBe('2 new, 0 there already');
    expect(tallyOf(await run(FEBRUARY, RULES))).toBe('0 new, there already: 2 lines (2, 3)');
    const whole = list('01-30,1,b', '01-31,-3,Coffee', '01-31,-3,Coffee', '02-01,7,a');
    expect(tallyOf(await run(whole))).toBe('1 new, there already: 3 lines (3 to 5)');
  });
});

describe('undo', () => {
  it('deletes what nobody has changed, lists the rest, and lets the file be imported again', async () => {
    const rules = { ...RULES, cut: 'days' };
    await run(list('01-02,1,kept'), rules);
    await run(list('01-02,1,kept', '01-03,2,changed', '01-04,3,gone'), rules);
    const [{ id } = { id: '' }] = await service.sql<{ id: string }>(
      `SELECT id FROM transactions WHERE amount = 2`,
    );
    const { text } = await owner.get(`/api/transactions/${id}`);
    await owner.put(`/api/transactions/${id}`, { ...(JSON.parse(text) as object), notes: 'mine' });
    const path = journals()[1]!;
    const undone = await runTool([...login, 'undo', path], env);
    expect(undone).toEqual({
      code: 1,
      err: '',
      out: `kept, because it was changed since: transaction ${id}, line 3, changed\n1 deleted, 1 kept\n`,
    });
    expect(await stored('description')).toEqual([['kept'], ['changed']]);
    expect(tallyOf(await run(list('01-02,1,kept', '01-03,2,changed', '01-04,3,gone'), rules))).toBe(
      '1 new, there already: 2 lines (2, 3)',
    );
  });

  it('finds what a run has recorded that broke off', async () => {
    await run(JANUARY);
    const path = journals()[0]!;
    const { lines, ...journal } = journalOf(path);
    const unknown = lines.map((line) => ({ ...line, rows: line.rows.map((row) => ({ ...row, id: null })) }));
    writeFileSync(path, JSON.stringify({ ...journal, state: 'sending', lines: unknown }));
    expect((await runTool([...login, 'undo', path], env)).out).toBe('3 deleted, 0 kept\n');
    expect(await stored()).toEqual([]);
    expect(journalOf(path).state).toBe('undone');
  });

  it('takes a journal alone', async () => {
    expect((await runTool([...login, 'undo', fileOf('{}')], env)).err).toMatch(
      / is not the journal of a run\n/,
    );
    expect(await runTool([...login, 'undo', '/none'], env)).toMatchObject({ code: 2 });
  });
});

it('records exact amounts and long texts, and the first instant of a day of the host', async () => {
  const long = '😀'.repeat(256);
  const zone = 'America/New_York';
  await run(list('03-09,99999999999999999.99,Rent', `01-01,-0.10,${long}`), RULES, '--time-zone', zone);
  expect(await stored('amount, description, notes, date')).toEqual([
    ['99999999999999999.99', 'Rent', null, new Date('2026-03-09T04:00:00Z')],
    ['0.10', `${'😀'.repeat(254)}…`, long, new Date('2026-01-01T05:00:00Z')],
  ]);
});

it.each<[string, string[], string[]]>([
  [
    'cannot be understood',
    ['13-01,1,y', '01-02,1,rent'],
    ['line 2: "2026-13-01" is not a date of the form YYYY-MM-DD: "dateFormat" in the rules names another'],
  ],
  [
    'names a property that is missing or ambiguous',
    ['01-02,1,rent', '01-02,-1,barn', '01-02,-1,twin'],
    ['line 3: there is no property "Barn"', 'line 4: there are several properties "Twin"'],
  ],
  [
    'the service refuses',
    ['01-02,1,rent', '01-02,999999999999999999.99,y'],
    ['line 3: amount must be from 0.01 to 99999999999999999.99'],
  ],
])('records nothing when a line %s, and names the line', async (_, lines, faults) => {
  for (let times = 0; times < 2; times++) await createProperty(owner, { name: 'Twin' });
  const rules = ['Barn', 'Twin'].map((property) => ({ contains: property, category: 'REPAIRS', property }));
  const { code, out, err } = await run(list(...lines), { ...RULES, rules });
  expect({ code, out, err: err.trimEnd().split('\n') }).toEqual({
    code: 1,
    out: '',
    err: [...faults, 'Nothing was recorded.'],
  });
  expect(await stored()).toEqual([]);
});

const WRONG = { PROPERTY_FINANCE_PASSWORD: 'wrong' };

it.each<[args: string, code: number, message: RegExp, more?: Record<string, string>]>([
  ['FILE RULES', 2, /^set PROPERTY_FINANCE_API_KEY, or give --user NAME/],
  ['FILE RULES', 3, /^Authentication required/, { PROPERTY_FINANCE_API_KEY: 'pfk_1_x' }],
  ['--user x FILE RULES', 2, /^set PROPERTY_FINANCE_PASSWORD/],
  ['--user x FILE RULES', 3, /^Authentication failed .*\n$/, WRONG],
  ['--user x --url http://127.0.0.1:2 FILE RULES', 3, /ECONNREFUSED/, WRONG],
  ['--user x --url localhost:8080 FILE RULES', 2, /^--url: "localhost:8080" is not an HTTP address/, WRONG],
  ['--strict FILE RULES', 1, /^--strict, and no rule is for 2 lines \(3, 4\)/],
  ['FILE', 2, /missing required argument 'RULES.json'/],
  ['--cut here FILE RULES', 2, /^--cut must be one of days, within/],
  ['--opening much FILE RULES', 2, /^--opening must be an amount/],
  ['--time-zone EST FILE RULES', 2, /^--time-zone must be UTC or a name/],
  ['--none FILE RULES', 2, /unknown option '--none'/],
  ['/none RULES', 2, /^ENOENT/],
  ['FILE FILE', 2, /; the order is FILE RULES\.json/],
])('does not begin with "%s": exit code %i', async (args, code, message, more = {}) => {
  const files: Record<string, string> = { FILE: fileOf(JANUARY), RULES: fileOf(JSON.stringify(RULES)) };
  const words = args.split(' ').map((word) => files[word] ?? word);
  const result = await runTool(words, { PROPERTY_FINANCE_URL: service.url, ...more });
  expect([result.code, result.out, result.err]).toEqual([code, '', expect.stringMatching(message)]);
});

it('takes an API key in place of a name and a password', async () => {
  const { key } = (await owner.post('/api/keys', { name: 'Bank', access: 'WRITE' })).json as { key: string };
  env = { PROPERTY_FINANCE_API_KEY: key };
  login.splice(2);
  expect(tallyOf(await run(JANUARY))).toBe('3 new, 0 there already');
});

it('explains itself', async () => {
  const { code, out } = await runTool(['--help']);
  expect([code, out]).toEqual([0, expect.stringMatching(/^Usage: bank-import /)]);
  expect(dirname(fileOf(''))).not.toBe(folder);
});
