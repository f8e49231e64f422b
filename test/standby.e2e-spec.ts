import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Tokens } from '../src/auth/tokens.js';
import { AUTHENTICATION_CONNECTIONS } from '../src/database/data-source.js';
import { migrate } from '../src/database/migrate.js';
import { LedgerPool } from '../src/database/pool.js';
import { expectProblem } from './support/answers.js';
import { cli } from './support/cli.js';
import { type Answer, Client } from './support/client.js';
import { createDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { createProperty, propertyRequest, transactionRequest } from './support/factories.js';
import { LogLines } from './support/log-lines.js';
import { PostgresServer } from './support/postgres-server.js';
import { type Service, startService } from './support/service.js';
import { TEST_SECRET, testSettings } from './support/settings.js';
import { signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

const READINESS = '/actuator/health/readiness';
const POOL = 3;
const REPLACED_FROM = 1050;

const doctor = async (url: string): Promise<string> =>
  (await cli(['doctor'], { env: { DB_URL: url, DB_PASSWORD: 'unused', JWT_SECRET: TEST_SECRET } })).out.join(
    '\n',
  );

/** Before the copy for the standby, which therefore knows them, too. */
const ACCOUNTS = `
  INSERT INTO users (id, email, username, password_hash, role)
  SELECT n, n || '@example.com', 'user-' || n, '$2b$10$' || repeat('.', 53), CASE n WHEN 1 THEN 'USER' ELSE 'ADMIN' END
    FROM generate_series(1, 2) n;
  INSERT INTO properties (owner_id, id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
  VALUES (1, nextval('properties_id_seq'), 'Home', '', 1, 1, 1, 1, true)`;
const HOME = '/api/properties/1';

let primary: PostgresServer;
let standby: PostgresServer;
let proxy: DatabaseProxy;
let log: LogLines;
let service: Service;
let owner: Client;
let admin: Client;

beforeAll(async () => {
  primary = await PostgresServer.start();
  await migrate(testSettings(primary.url).database);
  await primary.sql(ACCOUNTS);
  await primary.stop();
  standby = await primary.standby();
  await primary.start();
  proxy = await DatabaseProxy.to(primary.url);
  await proxy.reopen();
  log = new LogLines();
  const env = { DB_POOL_SIZE: String(POOL), DB_POOL_SHARE: String(POOL), LOG_LEVEL: 'warn' };
  service = await startService(env, proxy.url(primary.url));
  const tokens = service.app.get(Tokens);
  owner = new Client(service.url, tokens.issue({ id: '1', role: 'USER' }));
  admin = new Client(service.url, tokens.issue({ id: '2', role: 'ADMIN' }));
});

const readiness = async (): Promise<number> => (await service.anonymous.get(READINESS)).status;
/** Of the service's pool. */
const connectionsTo = async (server: PostgresServer): Promise<string[]> =>
  (
    await server.sql<{ last: string }>(
      `SELECT query AS last FROM pg_stat_activity WHERE application_name = 'property-finance'`,
    )
  ).map(({ last }) => last);

async function closeConnections(): Promise<void> {
  await primary.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`,
  );
}

describe('a database that only reads for a while', () => {
  async function becomes(state: 'read-only' | 'writable'): Promise<void> {
    const change =
      state === 'read-only'
        ? 'SET default_transaction_read_only = on'
        : 'RESET default_transaction_read_only';
    await primary.sql(`ALTER SYSTEM ${change}`);
    await primary.sql('SELECT pg_reload_conf()');
    await until(async () => (await readiness()) === (state === 'read-only' ? 503 : 200));
  }

  beforeAll(() => becomes('read-only'));
  afterAll(() => becomes('writable'));

  it('is told to the health of the service, to ADMIN with the reason, and to the log once', async () => {
    expect((await service.anonymous.get(READINESS)).text).toBe('{"status":"DOWN"}');
    expect((await service.anonymous.get('/actuator/health/liveness')).status).toBe(200);
    expect((await admin.get(READINESS)).json).toMatchObject({
      components: { db: { status: 'DOWN', details: { reason: 'read-only' } } },
    });
    const told = log.at('warn').filter(({ msg }) => msg?.includes('health check'));
    expect(told.at(-1)).toMatchObject({ reason: 'read-only' });
    await readiness();
    expect(log.at('warn').filter(({ msg }) => msg?.includes('health check'))).toHaveLength(told.length);
  });

  it.each<[string, () => Promise<Answer>]>([
    ['that a repository makes', () => owner.put(HOME, propertyRequest())],
    ['that is a statement of our own', () => owner.post('/api/transactions', transactionRequest(1))],
    ['of an account', () => service.anonymous.post('/api/auth/signup', signUpRequest())],
  ])('answers 503 to a write %s, and keeps no connection that was used for one', async (_, send) => {
    await closeConnections(); // that other tests have written with
    await owner.get(HOME);
    await sleep(REPLACED_FROM); // so old must a connection be that another one may be better
    const answer = await send();
    expectProblem(answer, 503, 'service-unavailable');
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]/);
    await until(async () => !(await connectionsTo(primary)).some((last) => /\b(INSERT|UPDATE)\b/.test(last)));
    expect((await owner.get(HOME)).status).toBe(200);
    expect(log.at('error')).toEqual([]);
  });

  it('does not open a connection for each write that is refused', async () => {
    const opened = jest.spyOn(pg.Client.prototype, 'connect');
    for (let left = 20; left > 0; left--)
      expectProblem(await owner.put(HOME, propertyRequest()), 503, 'service-unavailable');
    const count = opened.mock.calls.length;
    opened.mockRestore();
    expect(count).toBeLessThan(15);
  });

  it('is what the doctor finds, with the remedy', async () => {
    const found = await doctor(primary.url);
    expect(found).toMatch(/^FAIL {2}database {5}it only reads \(default_transaction_read_only is on\)$/m);
    expect(found).toMatch(/→ as superuser: ALTER SYSTEM RESET default_transaction_read_only/);
  });

  it('is written to again as soon as it takes writes', async () => {
    await becomes('writable');
    expect((await owner.put(HOME, propertyRequest())).status).toBe(200);
    await becomes('read-only');
  });
});

describe('a standby that a balancer leads to', () => {
  const round = async (send: () => Promise<Answer>): Promise<number[]> =>
    (await Promise.all(Array.from({ length: POOL }, send))).map(({ status }) => status);

  it('serves reads, refuses writes, and is left by them at once when the primary is back', async () => {
    proxy.lead(standby.url);
    await closeConnections();
    await until(async () => (await readiness()) === 503);
    const create = (): Promise<Answer> => owner.post('/api/properties', propertyRequest());
    expectProblem(await create(), 503, 'service-unavailable');
    while ((await connectionsTo(standby)).length < POOL + AUTHENTICATION_CONNECTIONS)
      expect(await round(() => owner.get('/api/properties'))).toEqual(Array(POOL).fill(200));

    proxy.lead(primary.url); // the connections that there are stay where they are
    await until(async () => (await readiness()) === 200);
    await sleep(REPLACED_FROM);
    const statuses: number[] = [];
    await until(async () => {
      statuses.push(...(await round(create)));
      return (await connectionsTo(standby)).length === 0;
    });
    expect(statuses.filter((status) => status !== 200)).toEqual(Array(POOL).fill(503));
    expect(await round(create)).toEqual(Array(POOL).fill(200));
    expect(log.at('error')).toEqual([]);
  });

  it('is what the doctor finds, with the remedy', async () => {
    const found = await doctor(standby.url);
    expect(found).toMatch(/^FAIL {2}database {5}it is a standby, which only reads$/m);
    expect(found).toMatch(/→ let DB_HOST \(or DB_URL\) name the primary/);
  });
});

describe('the longest life of a connection', () => {
  it('ends it, and nobody notices', async () => {
    const url = await createDatabase();
    const short = await startService({ DB_MAX_LIFETIME: '150ms', DB_POOL_SIZE: '2' }, url);
    const account = await short.account();
    const pids = new Set<number>();
    await until(async () => {
      const answers = await Promise.all([account.get('/api/users/me'), createProperty(account)]);
      expect(answers[0].status).toBe(200);
      const rows = await short.sql<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'property-finance' AND datname = current_database()`,
      );
      for (const { pid } of rows) pids.add(pid);
      return pids.size >= 6;
    });
    await short.stop();
  });

  it('is not the same for any two, and a fifth shorter at most', () => {
    const { options } = new LedgerPool({ connectionString: 'postgres://h/n', maxLifetimeSeconds: 100 });
    const lives = Array.from({ length: 200 }, () => options.maxLifetimeSeconds);
    expect(new Set(lives).size).toBeGreaterThan(190);
    expect(Math.min(...lives)).toBeGreaterThanOrEqual(80);
    expect(Math.min(...lives)).toBeLessThan(85);
    expect(Math.max(...lives)).toBeLessThanOrEqual(100);
  });
});
