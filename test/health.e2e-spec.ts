import { type StatsFs, statfsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { HealthService } from '../src/actuator/health/health.service.js';
import { DatabaseProbe, VALIDATION_QUERY } from '../src/actuator/health/database.probe.js';
import { Connections } from '../src/database/connections.js';
import { healthAt, outcomeOf } from './support/responses.js';
import { Client } from './support/client.js';
import { createDatabase, createEmptyDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, Service, startService } from './support/service.js';
import { until } from './support/until.js';

const AGGREGATE = '/actuator/health';
const LIVENESS = '/actuator/health/liveness';
const READINESS = '/actuator/health/readiness';

const UP = { status: 'UP' };
const DB = { database: 'PostgreSQL', validationQuery: expect.any(String) as unknown };
const DB_UP = { ...UP, details: { ...DB, version: expect.stringMatching(/^\d+/) as unknown } };
const THRESHOLD = 10 * 1024 * 1024;
const ANY_NUMBER = expect.any(Number) as unknown;
const DISK = { total: ANY_NUMBER, free: ANY_NUMBER, threshold: THRESHOLD, path: process.cwd(), exists: true };
const COMPONENTS = {
  ...{ db: DB_UP, diskSpace: { ...UP, details: DISK }, livenessState: UP, ping: UP, readinessState: UP },
};

/** The responses of aggregate, liveness and readiness. */
async function probes(client: Client): Promise<string[]> {
  const states: string[] = [];
  for (const path of [AGGREGATE, LIVENESS, READINESS]) {
    const { status, text } = await client.get(path);
    states.push(`${status} ${text}`);
  }
  return states;
}

const OK = '200 {"status":"UP"}';
const DOWN = '503 {"status":"DOWN"}';
const STOPPING = '503 {"status":"OUT_OF_SERVICE"}';
const ALL_UP = [OK, OK, OK];
const DATABASE_DOWN = [DOWN, OK, DOWN];

// Tokens on these paths are in test/tokens.e2e-spec.ts, HEAD in test/access-matrix.e2e-spec.ts.
describe('health', () => {
  let service: Service;
  let user: Account;
  let admin: Account;

  beforeAll(async () => {
    service = await startService();
    [user, admin] = [await service.account('USER'), await service.account('ADMIN')];
  });
  afterEach(() => void (service.app.get(HealthService).draining = false));

  it('answers an anonymous caller and a USER the status alone', async () => {
    expect(await probes(service.anonymous)).toEqual(ALL_UP);
    expect(await probes(user)).toEqual(ALL_UP);
  });

  it.each([
    [AGGREGATE, { ...UP, components: COMPONENTS, groups: ['liveness', 'readiness'] }],
    [LIVENESS, { ...UP, components: { livenessState: UP } }],
    [READINESS, { ...UP, components: { db: DB_UP, readinessState: UP } }],
  ])('answers ADMIN the components at %s', async (path, body) => {
    expect(await healthAt(admin, path)).toStrictEqual(body);
  });

  it('is OUT_OF_SERVICE while the process stops, but alive', async () => {
    service.app.get(HealthService).draining = true;
    expect(await probes(service.anonymous)).toEqual([STOPPING, OK, STOPPING]);
    const status = 'OUT_OF_SERVICE';
    expect(await healthAt(admin, READINESS)).toStrictEqual({
      status,
      components: { db: DB_UP, readinessState: { status } },
    });
  });

  const left = (bytes: number): StatsFs => Object.assign(statfsSync('.'), { bsize: 1, bavail: bytes });

  it.each([
    ['with too few bytes left', 'DOWN', () => Promise.resolve(left(THRESHOLD - 1)), { free: THRESHOLD - 1 }],
    ['with enough bytes left', 'UP', () => Promise.resolve(left(THRESHOLD)), { free: THRESHOLD }],
    ['that cannot be read', 'DOWN', () => Promise.reject(new Error('ENOENT')), { exists: false }],
  ])('of a disk %s is %s, and no probe changes', async (_, status, statfs, details) => {
    jest.spyOn(fs, 'statfs').mockImplementation(statfs);
    const diskSpace = { status, details: { threshold: THRESHOLD, path: process.cwd(), ...details } };
    expect(await healthAt(admin, AGGREGATE)).toMatchObject({ status, components: { diskSpace } });
    expect((await probes(service.anonymous)).slice(1)).toEqual([OK, OK]);
    service.app.get(HealthService).draining = true; // is less grave than DOWN
    expect((await probes(service.anonymous))[0]).toBe(status === 'UP' ? STOPPING : DOWN);
  });

  describe('checks the database on a connection', () => {
    const connections = async ({ url } = service.settings.database): Promise<number[]> => {
      const rows = await service.sql<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND application_name = 'property-finance health'`,
        [new URL(url).pathname.slice(1)],
      );
      return rows.map(({ pid }) => pid);
    };

    it('that stays open, and is replaced at once when it breaks', async () => {
      expect(await probes(service.anonymous)).toEqual(ALL_UP);
      const [kept] = await connections();
      expect(await probes(service.anonymous)).toEqual(ALL_UP);
      expect(await connections()).toEqual([kept]);
      await service.sql('SELECT pg_terminate_backend($1::integer)', [kept]);
      expect(await probes(service.anonymous)).toEqual(ALL_UP);
      expect(await connections()).not.toEqual([kept]);
    });

    it('that closes during the start, for which a pooler may have no other', async () => {
      const starting = await Service.at(await createEmptyDatabase(), { DB_MIGRATE: 'false' });
      expect(outcomeOf(await starting.anonymous.get(READINESS))).toMatch(/^503/);
      await until(async () => (await connections(starting.settings.database)).length === 0);
    });

    it('beside the pool, which may be exhausted', async () => {
      const small = await startService({ DB_POOL_SIZE: '1' }, service.settings.database.url);
      const { pool } = small.app.get(Connections);
      const taken = await pool.connect();
      pool.options.connectionTimeoutMillis = 50;
      const list = await new Client(small.url, user.token).get('/api/properties');
      expect(outcomeOf(list)).toBe('503 service-unavailable');
      expect(await probes(small.anonymous)).toEqual(ALL_UP);
      taken.release();
    });
  });
});

describe('health without a database', () => {
  let direct: Service;
  let proxy: DatabaseProxy;
  let service: Service;
  let admin: Client;

  beforeAll(async () => {
    direct = await startService(); // makes accounts while the proxy is closed
    proxy = await DatabaseProxy.open();
    service = await startService({}, proxy.url(direct.settings.database.url));
    admin = new Client(service.url, (await direct.account('ADMIN')).token);
  });
  beforeEach(() => proxy.reopen());

  it.each<[string, string, () => unknown]>([
    ['resets connections', 'connection-lost', () => proxy.refuse()],
    ['sends nothing', 'timeout', () => proxy.hang()],
  ])('is DOWN, and UP again, with a database that %s; ADMIN sees %s', async (_, reason, happens) => {
    await admin.get(AGGREGATE); // opens a connection of the pool that stays
    expect(await probes(service.anonymous)).toEqual(ALL_UP);
    happens();
    await direct.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'property-finance health'`,
    );
    const db = { status: 'DOWN', details: { ...DB, reason } };
    expect(await healthAt(admin, READINESS)).toStrictEqual({
      status: 'DOWN',
      components: { db, readinessState: UP },
    });
    expect(await probes(service.anonymous)).toEqual(DATABASE_DOWN);
    proxy.reopen();
    expect(await probes(service.anonymous)).toEqual(ALL_UP);
  });

  it('asks the database once for simultaneous requests', async () => {
    expect(await probes(service.anonymous)).toEqual(ALL_UP);
    const sent = watchStatements();
    const ask = jest.spyOn(DatabaseProbe.prototype, 'ask');
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal); // however long the requests take
    proxy.swallow();
    const responses = Array.from({ length: 30 }, () => service.anonymous.get(READINESS));
    await until(() => ask.mock.calls.length === 30);
    proxy.heal();
    expect(new Set((await Promise.all(responses)).map(outcomeOf))).toEqual(new Set(['200']));
    expect(sent.all().filter(({ text }) => text === VALIDATION_QUERY)).toHaveLength(1);
  });

  it('is DOWN from the start until the schema is ready', async () => {
    const late = await DatabaseProxy.open();
    late.close();
    const starting = await Service.at(late.url(await createDatabase()));
    expect(await probes(starting.anonymous)).toEqual(DATABASE_DOWN);
    late.reopen();
    expect(outcomeOf(await starting.anonymous.get(READINESS))).toMatch(/^503/); // connected, but not ready
    await starting.ready();
    expect(await probes(starting.anonymous)).toEqual(ALL_UP);
  });
});
