import pg from 'pg';
import { migrate, withDataSource } from '../src/database/migrate.js';
import { AUTHENTICATION_CONNECTIONS } from '../src/database/connections.js';
import { expectProblem, healthAt } from './support/responses.js';
import { cli } from './support/cli.js';
import type { HttpResponse } from './support/client.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { createProperty, propertyRequest, transactionRequest } from './support/factories.js';
import { LogLines } from './support/log-lines.js';
import { PostgresServer } from './support/postgres-server.js';
import { type Account, type Service, startService } from './support/service.js';
import { environmentFor, testSettings } from './support/settings.js';
import { signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

const UNAVAILABLE = 'service-unavailable';
const READINESS = '/actuator/health/readiness';
const POOL = 3;

let primary: PostgresServer;
let standby: PostgresServer;
let proxy: DatabaseProxy;
let log: LogLines;
let service: Service;
let owner: Account;
let admin: Account;
let home: string;

beforeAll(async () => {
  primary = await PostgresServer.start();
  await withDataSource(testSettings(primary.url).database, migrate);
  standby = await primary.follower('standby');
  proxy = await DatabaseProxy.open();
  log = new LogLines();
  const env = { DB_POOL_SIZE: String(POOL), DB_POOL_SHARE: String(POOL), LOG_LEVEL: 'info' };
  service = await startService(env, proxy.url(primary.url));
  [owner, admin] = [await service.account(), await service.account('ADMIN')];
  home = `/api/properties/${(await createProperty(owner)).id}`;
  await until(async () => (await standby.sql('SELECT FROM properties')).length > 0);
});

const readiness = async (): Promise<number> => (await service.anonymous.get(READINESS)).status;
const post = (): Promise<HttpResponse> => owner.post('/api/properties', propertyRequest());
const doctor = async ({ url }: PostgresServer): Promise<string> =>
  (await cli(['doctor'], { env: environmentFor(url) })).out.join('\n');

/** The process ids of the service's connections, those of the health check left out. */
async function connectionsTo(server: PostgresServer, begun = 'IS NOT NULL'): Promise<number[]> {
  const ours = `SELECT pid FROM pg_stat_activity WHERE application_name = 'property-finance' AND backend_start ${begun}`;
  return (await server.sql<{ pid: number }>(ours)).map(({ pid }) => pid);
}

/** Waits until all of these are so old that the service drops one that cannot write. */
const aged = (server: PostgresServer): Promise<void> =>
  until(async () => (await connectionsTo(server, `> clock_timestamp() - interval '1050 ms'`)).length === 0);

const renewConnections = (): Promise<unknown> =>
  primary.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`,
  );

describe('a database that only reads for a while', () => {
  async function readOnly(state: 'on' | 'off'): Promise<void> {
    await primary.sql(`ALTER SYSTEM SET default_transaction_read_only = ${state}`);
    await primary.sql('SELECT pg_reload_conf()');
    await until(async () => (await readiness()) === (state === 'on' ? 503 : 200));
  }

  beforeEach(() => readOnly('on'));
  afterAll(() => readOnly('off'));

  it('turns readiness, with the reason for an ADMIN and once in the log, and leaves liveness', async () => {
    expect((await service.anonymous.get(READINESS)).text).toBe('{"status":"DOWN"}');
    expect((await service.anonymous.get('/actuator/health/liveness')).status).toBe(200);
    const db = { status: 'DOWN', details: { reason: 'read-only' } };
    expect(await healthAt(admin, READINESS)).toMatchObject({ components: { db } });
    const told = (): unknown[] => log.at('warn').filter(({ msg }) => msg?.includes('health check'));
    const before = told();
    expect(before.at(-1)).toMatchObject({ reason: 'read-only' });
    await readiness();
    expect(told()).toHaveLength(before.length);
  });

  it.each<[string, () => Promise<HttpResponse>]>([
    ['PUT of a property', () => owner.put(home, propertyRequest())],
    ['POST of a transaction', () => owner.post('/api/transactions', transactionRequest(1))],
    ['sign-up', () => service.anonymous.post('/api/auth/signup', signUpRequest())],
  ])('answers a %s 503, and the connections that were not new are dropped', async (_, send) => {
    await renewConnections();
    await owner.get(home);
    await aged(primary);
    const before = await connectionsTo(primary);
    expectProblem(await send(), UNAVAILABLE);
    await until(async () => !(await connectionsTo(primary)).some((pid) => before.includes(pid)));
    expect((await owner.get(home)).status).toBe(200);
    expect(log.at('error')).toEqual([]);
  });

  it('does not make the service open a connection for each refused write', async () => {
    const connect = jest.spyOn(pg.Client.prototype, 'connect');
    for (let left = 20; left > 0; left--)
      expectProblem(await owner.put(home, propertyRequest()), UNAVAILABLE);
    expect(connect.mock.calls.length).toBeLessThan(15);
  });

  it('is a finding of the doctor, and is written to again as soon as it takes writes', async () => {
    expect(await doctor(primary)).toMatch(
      /^FAIL {2}database {5}it only reads \(default_transaction_read_only is on\)\n.*→ as superuser: ALTER SYSTEM RESET/m,
    );
    await readOnly('off');
    expect(log.at('info').map(({ msg }) => msg)).toContain('the database answers the health check again');
    expect((await owner.put(home, propertyRequest())).status).toBe(200);
  });
});

describe('a standby that a balancer leads to', () => {
  const round = async (send: () => Promise<HttpResponse>): Promise<number[]> =>
    (await Promise.all(Array.from({ length: POOL }, send))).map(({ status }) => status);

  it('answers reads, refuses writes, and loses its connections once the primary is back', async () => {
    proxy.lead(standby.url);
    await renewConnections();
    await until(async () => (await readiness()) === 503);
    expectProblem(await post(), UNAVAILABLE);
    expectProblem(await owner.get('/api/transactions/changes'), UNAVAILABLE);
    while ((await connectionsTo(standby)).length < POOL + AUTHENTICATION_CONNECTIONS)
      expect(await round(() => owner.get('/api/transactions'))).toEqual(Array(POOL).fill(200));

    proxy.lead(primary.url); // the open connections stay where they are
    await until(async () => (await readiness()) === 200);
    await aged(standby);
    const statuses: number[] = [];
    await until(async () => {
      statuses.push(...(await round(post)));
      return (await connectionsTo(standby)).length === 0;
    });
    expect(statuses.filter((status) => status !== 200)).toEqual(Array(POOL).fill(503));
    expect(await round(post)).toEqual(Array(POOL).fill(200));
    expect(log.at('error')).toEqual([]);
  });

  it('is a finding of the doctor', async () => {
    expect(await doctor(standby)).toMatch(
      /^FAIL {2}database {5}it is a standby, which only reads\n +→ let DB_HOST \(or DB_URL\) name the primary/m,
    );
  });
});

it('a promoted standby expires the cursors of changes', async () => {
  const path = '/api/properties/changes?cursor=';
  const { next } = (await owner.get(path)).json as { next: string };
  expect((await owner.get(path + next)).status).toBe(200);
  await standby.sql('SELECT pg_promote()');
  const promoted = await startService({}, standby.url);
  expectProblem(await promoted.caller(owner.id).get(path + next), 'cursor-expired');
  await promoted.stop();
});

it('DB_MAX_LIFETIME ends connections without a failed request', async () => {
  const short = await startService({ DB_MAX_LIFETIME: '150ms', DB_POOL_SIZE: '2' }, primary.url);
  const pids = new Set<number>();
  await until(async () => {
    const caller = short.caller(owner.id);
    await Promise.all([createProperty(caller), createProperty(caller)]);
    for (const pid of await connectionsTo(primary)) pids.add(pid);
    return pids.size >= POOL + 6;
  });
});
