import type { Client } from './support/client.js';
import { type Run, runScript, scriptFile, scriptUser } from './support/examples/script.js';
import { createProperty } from './support/factories.js';
import { type Service, startService } from './support/service.js';

const SCRIPT = 'import-bank-csv.mjs';
const COLUMNS = { date: 'date', amount: 'amount', description: 'text' };
const RULES = {
  columns: COLUMNS,
  rules: [{ contains: 'rent', category: 'BOOKING_PAYMENT' }],
  property: 'Home',
};
const NOTHING = 'Nothing was recorded.\n';

const csvOf = (...lines: string[]): string => ['date,amount,text', ...lines].join('\n');
const filesOf = (csv: string, rules: object): string[] => [csv, JSON.stringify(rules)].map(scriptFile);
const done = (created: number, present: number): string => `${created} recorded, ${present} there already.\n`;

describe('import-bank-csv.mjs', () => {
  let service: Service;
  let owner: Client;
  let importing: (csv: string, rules?: object, args?: string[], env?: Record<string, string>) => Promise<Run>;

  beforeAll(async () => (service = await startService()));
  beforeEach(async () => {
    const [client, run] = await scriptUser(service, SCRIPT);
    owner = client;
    await createProperty(owner, { name: 'Home' });
    importing = (csv, rules = RULES, args = [], env = {}) => run([...args, ...filesOf(csv, rules)], env);
    await service.sql('DELETE FROM transactions');
  });

  const stored = async (columns: string): Promise<unknown[][]> =>
    (await service.sql<Record<string, unknown>>(`SELECT ${columns} FROM transactions ORDER BY id`)).map(
      (row) => Object.values(row),
    );

  it('records each line to the cent, and a text longer than a description in the notes', async () => {
    const long = '😀'.repeat(256);
    const csv = csvOf('2026-01-02,99999999999999999.99,rent', `2026-12-31,-0.10,${long}`);
    expect(await importing(csv)).toEqual({ code: 0, out: done(2, 0), err: '' });
    expect(await stored('type, category, description, notes, amount, status')).toEqual([
      ['INCOME', 'BOOKING_PAYMENT', 'rent', null, '99999999999999999.99', 'PAID'],
      ['EXPENSE', 'OTHER_EXPENSE', `${'😀'.repeat(254)}…`, long, '0.10', 'PAID'],
    ]);
  });

  it('records the first instant of a day in the time zone of the option or of the environment', async () => {
    const zone = 'America/New_York';
    await importing(csvOf('2026-03-09,1,rent'), RULES, ['--time-zone', zone]);
    await importing(csvOf('2026-01-01,1,rent'), RULES, [], { PROPERTY_FINANCE_TIME_ZONE: zone });
    const instants = ['2026-03-09T04:00:00Z', '2026-01-01T05:00:00Z'].map((instant) => new Date(instant));
    expect(await stored('date, paid_at')).toEqual(instants.map((instant) => [instant, instant]));
  });

  it('records equal lines each, and no line twice with another separator or category', async () => {
    const january = ['2026-01-02,1,rent', '2026-01-02,1,rent', '2026-01-03,1,rent'];
    expect((await importing(csvOf(...january))).out).toBe(done(3, 0));
    const later = csvOf(...january.slice(1), '2026-01-03,1,rent', '2026-02-01,1,new').replaceAll(',', ';');
    const rules = { ...RULES, rules: [{ contains: 'rent', category: 'OTHER_INCOME' }] };
    expect((await importing(later, rules)).out).toBe(done(2, 2));
    expect((await stored('description')).flat()).toEqual(['rent', 'rent', 'rent', 'rent', 'new']);
  });

  it.each<[string, string[], string[]]>([
    [
      'cannot be understood',
      ['2026-13-01,1,y', '2026-01-02,1,rent'],
      ['line 2: "2026-13-01" is not a date of the form YYYY-MM-DD'],
    ],
    [
      'names a property that is missing or ambiguous',
      ['2026-01-02,1,rent', '2026-01-02,-1,barn', '2026-01-02,-1,twin'],
      ['line 3: there is no property "Barn"', 'line 4: there are several properties "Twin"'],
    ],
    [
      'the service refuses',
      ['2026-01-02,1,rent', '', '2026-01-02,999999999999999999.99,y'],
      ['line 4: amount must be from 0.01 to 99999999999999999.99'],
    ],
  ])('records nothing when a line %s, and names the line', async (_, lines, faults) => {
    for (let times = 0; times < 2; times++) await createProperty(owner, { name: 'Twin' });
    await importing(csvOf('2026-01-02,1,rent'));
    const rules = [
      { contains: 'barn', category: 'REPAIRS', property: 'Barn' },
      { contains: 'twin', category: 'REPAIRS', property: 'Twin' },
    ];
    const { code, out, err } = await importing(csvOf(...lines, '2026-02-01,1,new'), { ...RULES, rules });
    expect({ code, out, err: err.trimEnd().split('\n') }).toEqual({ code: 1, out: NOTHING, err: faults });
    expect(await stored('description')).toEqual([['rent']]);
  });

  it('takes a property by its id, and none when nothing names one', async () => {
    const { id } = await createProperty(owner);
    const rules = { columns: COLUMNS };
    expect(await importing(csvOf('2026-01-02,1,a'), rules)).toEqual({
      ...{ code: 1, out: NOTHING },
      err: 'line 2: neither RULES.json nor --property names the property\n',
    });
    expect((await importing(csvOf('2026-01-02,1,a'), rules, ['--property', String(id)])).out).toBe(
      done(1, 0),
    );
    expect(await stored('property_id')).toEqual([[String(id)]]);
  });

  const WRONG = { PROPERTY_FINANCE_PASSWORD: 'wrong' };

  it.each<[string, Record<string, string>, number, RegExp]>([
    ['', {}, 2, /^--user NAME is missing/],
    ['--user x', {}, 2, /^set PROPERTY_FINANCE_PASSWORD/],
    ['--user x', WRONG, 3, /^Authentication failed: The user.* is wrong\.\n$/],
    [
      '--user x --url http://127.0.0.1:2',
      WRONG,
      3,
      /^http:\/\/127\.0\.0\.1:2 does not respond \(ECONNREFUSED\); see --url\n$/,
    ],
    ['--user x --url SERVICE/actuator/health?', WRONG, 3, /./],
    ['--user x --url localhost:8080', {}, 2, /^--url: "localhost:8080" is not an HTTP address/],
  ])('does not begin with "%s" and %j', async (words, env, expected, message) => {
    const options = words.replace('SERVICE', service.url).split(' ').filter(Boolean);
    const args = [...options, ...filesOf(csvOf(), RULES)];
    const { code, out, err } = await runScript(SCRIPT, args, { PROPERTY_FINANCE_URL: service.url, ...env });
    expect({ code, out }).toEqual({ code: expected, out: '' });
    expect(err).toMatch(message);
  });

  it('explains itself', async () => {
    const { code, out } = await runScript(SCRIPT, ['--help']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Usage: node import-bank-csv\.mjs /)]);
  });
});
