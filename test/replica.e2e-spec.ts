import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../src/database/migrate.js';
import { cli } from './support/cli.js';
import { type Answer, Client } from './support/client.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { LogLines } from './support/log-lines.js';
import { PostgresServer } from './support/postgres-server.js';
import { type Account, type Service, startService } from './support/service.js';
import { TEST_SECRET, testSettings } from './support/settings.js';
import { authIn, signIn, signUp, signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

/**
 * Each server shows what bears its name and hides what bears the other's, so that every answer tells whose it is. What is
 * called slow takes a standby a minute.
 */
const SHOWN = `
  CREATE FUNCTION shown(name text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN
    IF name = 'slow' AND pg_is_in_recovery() THEN PERFORM pg_sleep(60); END IF;
    RETURN name <> CASE WHEN pg_is_in_recovery() THEN 'primary' ELSE 'standby' END;
  END $$;
  ${Object.entries({ users: 'username', properties: 'name', transactions: 'description' })
    .map(
      ([table, name]) => `
        ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
        CREATE POLICY shown ON ${table} USING (shown(${name}));`,
    )
    .join('')}`;
const SERVERS = ['primary', 'standby'] as const;
const AMOUNTS = { primary: 111.11, standby: 222.22 };
const MAX_LAG = 3000;

let primary: PostgresServer;
let standby: PostgresServer;
let log: LogLines;
/** The one leaves the standby for nothing but its loss, the other soon. */
let patient: Service;
let strict: Service;
let owner: Account;
let admin: Account;
let home: number;
/** By the server that shows it. */
const properties = new Map<string, number>();
const tokens = new Map<string, string>();

async function fill(account: Account): Promise<number> {
  const { id } = await createProperty(account, { name: 'Home' });
  for (const name of SERVERS) {
    properties.set(name, (await createProperty(account, { name })).id);
    const fields = {
      description: name,
      vendor: name,
      amount: AMOUNTS[name],
      dueDate: '2026-01-20T00:00:00Z',
    };
    await createTransaction(account, id, { ...fields, status: 'PENDING' });
  }
  return id;
}

beforeAll(async () => {
  primary = await PostgresServer.start({ role: 'ledger' });
  await migrate(testSettings(primary.url).database);
  standby = await primary.follower('replica');
  log = new LogLines();
  const env = { DB_READ_URL: standby.url, LOG_LEVEL: 'info' };
  patient = await startService({ ...env, DB_READ_MAX_LAG: '1h' }, primary.url);
  strict = await startService(
    { ...env, DB_READ_MAX_LAG: `${MAX_LAG}ms`, DB_STATEMENT_TIMEOUT: '1s' },
    primary.url,
  );
  for (const username of SERVERS) {
    const request = signUpRequest({ username });
    await signUp(patient.anonymous, request);
    tokens.set(username, authIn(await signIn(patient.anonymous, request)).accessToken);
  }
  [owner, admin] = [await patient.account(), await patient.account('ADMIN')];
  await fill(admin);
  home = await fill(owner);
  await primary.sql(SHOWN);
  await Promise.all([patient, strict].map((service) => untilAnsweredBy('standby', service)));
});

const at = ({ url }: Service): Client => new Client(url, admin.token);
const listAt = (service: Service): Promise<Answer> => at(service).get('/api/properties');
function answeredBy({ status, text }: Answer): string {
  expect(status).toBe(200);
  return SERVERS.filter((name) => text.includes(`"${name}"`) || text.includes(`${AMOUNTS[name]}`)).join();
}
const untilAnsweredBy = (server: string, service: Service): Promise<void> =>
  until(async () => answeredBy(await listAt(service)) === server);
const readiness = async (): Promise<number> =>
  (await strict.anonymous.get('/actuator/health/readiness')).status;
const reports = (propertyId?: number): string[] =>
  ['profit-and-loss?', 'tax-year?year=2026&basis=accrual', 'cash-flow?from=2026-02-01'].map(
    (path) => `/api/reports/${path}${propertyId === undefined ? '' : `&propertyId=${propertyId}`}`,
  );

const LISTS = [
  'properties',
  'transactions',
  'transactions?sort=amount,asc',
  'properties?sort=name,desc',
  'properties/export',
];
const SEARCHES = [{}, { minAmount: 1 }, { searchTerm: 'a' }, { type: 'INCOME', sortBy: 'amount' }];
async function askAll(account: Account): Promise<string[]> {
  const answers = [
    ...LISTS.map((path) => account.get(`/api/${path}`)),
    ...SEARCHES.map((search) => account.post('/api/transactions/search', search)),
    account.post('/api/transactions/export', {}),
  ];
  return (await Promise.all(answers)).map(answeredBy);
}
const ALL = LISTS.length + SEARCHES.length + 1;

describe('what a standby answers', () => {
  it("is each of an ADMIN's lists, searches and exports", async () => {
    expect(await askAll(admin)).toEqual(Array(ALL).fill('standby'));
    expect(answeredBy(await admin.get('/api/users'))).toBe('standby');
  });

  it('is each report that an ADMIN asks for of somebody else', async () => {
    for (const path of reports(home)) expect(answeredBy(await admin.get(path))).toBe('standby');
  });

  it("is nothing of an owner's, be it an ADMIN's own report", async () => {
    expect(await askAll(owner)).toEqual(Array(ALL).fill('primary'));
    for (const path of [...reports(), ...reports(home)])
      expect(answeredBy(await owner.get(path))).toBe('primary');
    for (const path of reports()) expect(answeredBy(await admin.get(path))).toBe('primary');
  });

  it('is nothing by id', async () => {
    for (const account of [owner, admin]) {
      expect((await account.get(`/api/properties/${properties.get('primary')}`)).status).toBe(200);
      expect((await account.get(`/api/properties/${properties.get('standby')}`)).status).toBe(404);
      expect(answeredBy(await account.get(`/api/transactions/property/${home}`))).toBe('primary');
    }
  });

  it('is not who somebody is', async () => {
    const { password } = signUpRequest();
    const asked = async (name: string): Promise<number[]> => [
      (await signIn(patient.anonymous, { username: name, password })).status,
      (await new Client(patient.url, tokens.get(name)).get('/api/users/me')).status,
    ];
    expect(await asked('primary')).toEqual([200, 200]);
    expect(await asked('standby')).toEqual([401, 401]);
  });
});

describe('a standby that lags', () => {
  beforeEach(async () => {
    await untilAnsweredBy('standby', strict);
    await standby.sql('SELECT pg_wal_replay_pause()');
  });
  afterEach(() => standby.sql('SELECT pg_wal_replay_resume()'));

  it('is left when it lags too much, and taken again', async () => {
    await createProperty(owner, { name: 'News' });
    await untilAnsweredBy('primary', strict);
    expect((await listAt(strict)).text).toContain('News');
    expect(answeredBy(await listAt(patient))).toBe('standby');
    expect((await listAt(patient)).text).not.toContain('News');
    await until(() => log.at('warn').some(({ reason }) => reason === 'too-far-behind'));
    await standby.sql('SELECT pg_wal_replay_resume()');
    await untilAnsweredBy('standby', strict);
    await until(async () => (await listAt(patient)).text.includes('News'));
  });

  it('keeps nobody in who was deleted or is an ADMIN no more', async () => {
    const [gone, demoted] = [await patient.account('ADMIN'), await patient.account('ADMIN')];
    expect((await gone.get('/api/properties')).status).toBe(200);
    expect((await admin.delete(`/api/users/${gone.id}`)).status).toBe(200);
    await primary.sql(`UPDATE users SET role = 'USER' WHERE id = $1`, [demoted.id]);
    expect((await gone.get('/api/properties')).status).toBe(401);
    expect((await demoted.get('/api/properties')).json).toMatchObject({ totalElements: 0 });
  });

  it('gives no report of a property that it does not have yet', async () => {
    const other = await patient.account();
    const { id } = await createProperty(other);
    await createTransaction(other, id, { amount: 17.5 });
    for (const path of reports(id)) {
      const { status, text } = await admin.get(path);
      expect([status, text.includes('17.50') || path.includes('cash-flow')]).toEqual([200, true]);
    }
  });
});

describe('a standby', () => {
  it('does not lag while nobody writes', async () => {
    await sleep(MAX_LAG + 500);
    await untilAnsweredBy('standby', strict);
  });

  it('that is killed is missed by nobody, and taken again when it is back', async () => {
    await untilAnsweredBy('standby', strict);
    process.kill(standby.postmaster!, 'SIGKILL');
    await until(async () => {
      expect([(await admin.get('/api/users')).status, await readiness()]).toEqual([200, 200]);
      return answeredBy(await listAt(patient)) === 'primary';
    });
    expect(await askAll(admin)).toEqual(Array(ALL).fill('primary'));
    expect(log.at('error')).toEqual([]);
    await until(() =>
      standby.start().then(
        () => true,
        () => false,
      ),
    ); // its processes end by themselves
    await Promise.all([patient, strict].map((service) => untilAnsweredBy('standby', service)));
  });

  it('that hangs delays who has asked it already, and is left', async () => {
    await untilAnsweredBy('standby', strict);
    const backends = await standby.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'property-finance'`,
    );
    const stopped = [standby.postmaster!, ...backends.map(({ pid }) => pid)];
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    expect(answeredBy(await listAt(strict))).toBe('primary');
    expect(await askAll(admin)).toEqual(Array(ALL).fill('primary'));
    expect(await readiness()).toBe(200);
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
    await Promise.all([patient, strict].map((service) => untilAnsweredBy('standby', service)));
  });

  it('that is one no more, because it was promoted, is left', async () => {
    await standby.sql('SELECT pg_promote()');
    await createProperty(owner, { name: 'Since then' });
    await until(async () => (await listAt(patient)).text.includes('Since then'));
    await until(() => log.at('warn').some(({ reason }) => reason === 'no-standby'));
    await standby.stop();
    await primary.adopt(standby, 'replica');
    await Promise.all([patient, strict].map((service) => untilAnsweredBy('standby', service)));
  });

  it('of another database is not asked', async () => {
    const url = standby.url.replace('/ledger?', '/postgres?');
    const service = await startService({ DB_READ_URL: url, LOG_LEVEL: 'warn' }, primary.url);
    await until(() => log.at('warn').some(({ reason }) => reason === 'other-database'));
    expect(answeredBy(await listAt(service))).toBe('primary');
    await service.stop();
  });
});

describe('a statement that the standby is slow with', () => {
  let slow: number;
  const isRunning = async (): Promise<boolean> =>
    (await standby.sql(`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)).length > 0;
  const isThere = async (): Promise<boolean> =>
    (await standby.sql('SELECT FROM transactions WHERE id = $1', [slow])).length === 1;
  const search = { searchTerm: 'slow', type: 'EXPENSE' };

  beforeEach(async () => {
    await Promise.all([patient, strict].map((service) => untilAnsweredBy('standby', service)));
    const fields = { ...transactionRequest(home), type: 'EXPENSE', description: 'slow' };
    slow = (await createTransaction(owner, home, fields)).id;
    await until(isThere);
  });
  afterEach(async () => {
    await owner.delete(`/api/transactions/${slow}`);
    await until(async () => !(await isThere())); // others would wait for it
  });

  it('is refused in time, and not tried again', async () => {
    expect((await at(strict).post('/api/transactions/search', search)).status).toBe(503);
    await untilAnsweredBy('standby', strict);
  });

  it.each<[end: string, reason: RegExp, cause: () => Promise<unknown>]>([
    ['ends because the primary changes the table', /^40001$/, () => changeTable()],
    [
      'loses its connection',
      /^connection-lost$/,
      () =>
        standby.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`),
    ],
  ])('and that %s is answered by the primary', async (_, reason, cause) => {
    const answer = admin.post('/api/transactions/search', search);
    await until(isRunning);
    await cause();
    expect((await answer).json).toMatchObject({ content: [{ id: slow }] });
    const told = log.at('warn').findLast(({ msg }) => msg?.includes('repeats'));
    expect(told?.['reason']).toMatch(reason);
  });

  async function changeTable(): Promise<void> {
    await standby.sql('ALTER SYSTEM SET max_standby_streaming_delay = 0');
    await standby.sql('SELECT pg_reload_conf()');
    await primary.sql('ALTER TABLE transactions ALTER description DROP DEFAULT');
    await until(async () => !(await isRunning()));
    await standby.sql('ALTER SYSTEM RESET max_standby_streaming_delay');
    await standby.sql('SELECT pg_reload_conf()');
  }
});

describe('of a standby', () => {
  it('the metrics have the pool beside the other', async () => {
    const { text } = await admin.get('/actuator/prometheus');
    for (const pool of ['postgres', 'replica']) {
      expect(text).toMatch(new RegExp(`^hikaricp_connections_max\\{.*pool="${pool}".*\\} 10$`, 'm'));
      expect(text).toMatch(
        new RegExp(`^hikaricp_connections_usage_seconds_count\\{.*pool="${pool}".*\\} [1-9]`, 'm'),
      );
    }
  });

  it.each<[what: string, url: () => string, finding: RegExp]>([
    ['is one', () => standby.url, /^ok +replica +a standby, (up to date|\d+ kB behind)$/m],
    ['is none', () => primary.url, /^warn +replica +DB_READ_URL leads to no standby$/m],
    [
      'has another database',
      () => standby.url.replace('/ledger?', '/postgres?'),
      /^warn +replica +DB_READ_URL leads to a standby of another database$/m,
    ],
    [
      'is away',
      () => 'postgres://127.0.0.1:1/x',
      /^warn +replica +connection-refused\n +→ .*the primary answers in its place$/m,
    ],
  ])('the doctor tells that it %s', async (_, url, finding) => {
    const env = {
      DB_URL: primary.url,
      DB_READ_URL: url(),
      DB_PASSWORD: 'unused',
      JWT_SECRET: TEST_SECRET,
    };
    expect((await cli(['doctor'], { env })).out.join('\n')).toMatch(finding);
  });
});
