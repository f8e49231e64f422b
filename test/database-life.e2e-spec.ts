import pg from 'pg';
import { Connections } from '../src/database/connections.js';
import { Database } from '../src/database/database.js';
import { expectProblem, outcomeOf } from './support/responses.js';
import type { HttpResponse, Client } from './support/client.js';
import { clock } from './support/clock.js';
import { rowsOf } from './support/connect.js';
import { serverUrl } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { createProperty, propertyRequest, transactionRequest } from './support/factories.js';
import { Lock, waitingForLocks } from './support/locks.js';
import { LogLines } from './support/log-lines.js';
import { PostgresServer } from './support/postgres-server.js';
import { type Account, Service, startService } from './support/service.js';
import { until } from './support/until.js';

const UNAVAILABLE = 'service-unavailable';
/** Milliseconds, on a busy machine; without the settings of a test the responses would take 30 s and more. */
const LATEST = 20_000;

/** Fails unless the request is answered 503 after at least so many milliseconds. */
async function expectUnavailable(response: Promise<HttpResponse>, atLeast: number): Promise<void> {
  const started = performance.now();
  expectProblem(await response, UNAVAILABLE);
  const milliseconds = performance.now() - started;
  expect(milliseconds).toBeGreaterThan(atLeast);
  expect(milliseconds).toBeLessThan(LATEST);
}

it('a database that is away at the start is waited for, and then migrated', async () => {
  const server = await PostgresServer.start();
  await server.stop();
  const log = new LogLines();
  const connect = jest.spyOn(pg.Pool.prototype, 'connect');
  const service = await Service.at(server.url, { LOG_LEVEL: 'trace', DB_PASSWORD: 'that-nobody-may-see' });
  expectProblem(await service.caller().get('/api/properties'), UNAVAILABLE, '/api/properties');
  expectProblem(await service.anonymous.get('/api/properties'), 'authentication-required');
  const attempts = connect.mock.calls.length;
  await until(() => connect.mock.calls.length >= attempts + 2);
  const waiting = log.at('warn').filter(({ msg }) => msg?.endsWith('retrying'));
  const remedy: unknown = expect.stringMatching(/^start PostgreSQL/);
  expect(waiting).toMatchObject([{ reason: 'connection-refused', remedy }]);

  await server.start();
  await service.ready();
  expect((await service.caller().get('/api/properties')).status).toBe(401); // nobody has signed up yet
  expect(log.at('info').map(({ msg }) => msg)).toContain('the database is ready');
  expect(log.at('error')).toEqual([]);
  expect(log.text).not.toContain('that-nobody-may-see');
});

it('a database whose process stops in the middle of a request answers 503, and the next read 200', async () => {
  const env = { DB_POOL_SIZE: '1', DB_STATEMENT_TIMEOUT: '1s' };
  const service = await startService(env, (await PostgresServer.start()).url);
  const user = await service.account();
  const path = `/api/properties/${(await createProperty(user)).id}`;
  const { pool } = service.app.get(Connections);
  for (const send of [() => user.get(path), () => user.put(path, propertyRequest())]) {
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const { pid } = rows[0]!;
    process.kill(pid, 'SIGSTOP');
    try {
      await expectUnavailable(send(), 0); // PostgreSQL does not end it, but the driver does, a second later
      expect((await user.get(path)).status).toBe(200);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(pool.totalCount).toBe(1);
  }
  await service.stop();
});

describe('a lost connection to the database', () => {
  let direct: Service;
  let proxy: DatabaseProxy;
  let service: Service;
  let user: Client;
  let path: string;

  beforeAll(async () => {
    direct = await startService();
    const account = await direct.account();
    path = `/api/properties/${(await createProperty(account)).id}`;
    proxy = await DatabaseProxy.open();
    const url = proxy.url(direct.settings.database.url);
    // A read is sent three times at most, and so outlives the loss of every connection of this pool.
    service = await Service.at(url, { DB_POOL_SIZE: '2', DB_POOL_SHARE: '2' });
    await service.ready();
    user = service.caller(account.id);
  });
  afterEach(() => proxy.reopen());

  /** Ends all connections of the services at once, as a restart of the server does. */
  async function terminateAll(): Promise<void> {
    const ours = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'property-finance'`;
    const rows = await direct.sql<{ pid: number }>(`SELECT pid, pg_terminate_backend(pid) ${ours}`);
    const pids = rows.map(({ pid }) => pid);
    await until(async () => (await direct.sql(`SELECT ${ours} AND pid = ANY ($1)`, [pids])).length === 0);
  }

  it('under traffic leaves every read 200 for a moment, answers 503 later, and 200 once it is back', async () => {
    const responses: HttpResponse[] = [];
    let going = true;
    const lanes = ['/api/properties', path, '/api/properties', path].map(async (one) => {
      while (going) responses.push(await user.get(one));
    });
    const more = (count: number, status: number): Promise<void> => {
      const from = responses.length;
      return until(
        () => responses.slice(from).filter((response) => response.status === status).length >= count,
      );
    };
    for (let round = 1; round <= 5; round++) {
      await more(20, 200);
      await terminateAll();
    }
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    proxy.close();
    await more(20, 503);
    proxy.reopen();
    await more(1, 200);
    const healed = responses.length;
    await more(40, 200);
    going = false;
    await Promise.all(lanes);
    expect(responses.slice(healed).filter(({ status }) => status !== 200)).toEqual([]);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 503]));
  });

  it('in the middle of a read is not seen by the caller', async () => {
    const lock = await Lock.take(direct, 'LOCK TABLE properties IN ACCESS EXCLUSIVE MODE', []);
    const reading = user.get(path);
    await lock.waitedForBy(1);
    await terminateAll();
    await lock.waitedForBy(1); // the same read, on another connection
    await lock.release();
    expect((await reading).status).toBe(200);
  });

  it('in the middle of a write answers 503, and the write is not repeated', async () => {
    const lock = await Lock.take(direct, 'SELECT FROM properties FOR UPDATE', []);
    const writing = user.put(path, propertyRequest({ name: 'changed' }));
    await lock.waitedForBy(1);
    await terminateAll();
    expectProblem(await writing, UNAVAILABLE, path);
    await lock.release();
    expect((await user.get(path)).json).toMatchObject({ name: 'Seaside Cottage' });
  });

  it('to a database that refuses sessions for a reason of its own answers 503, and 200 once it takes them', async () => {
    const name = new URL(direct.settings.database.url).pathname.slice(1);
    const allow = (allowed: boolean): Promise<unknown> =>
      rowsOf(serverUrl('postgres'), `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allowed}`);
    await allow(false);
    await terminateAll();
    for (const send of [() => user.get(path), () => user.put(path, propertyRequest())])
      expectProblem(await send(), UNAVAILABLE, path);
    await allow(true);
    await until(async () => (await user.get(path)).status === 200);
  });

  it('while old keys are cleaned leaves the process running, and the next round cleans them', async () => {
    const MINUTE = 60_000;
    const later = clock();
    const write = jest.spyOn(service.app.get(Database), 'write');
    /** What the next round comes to. */
    const cleaning = async (): Promise<unknown> => {
      const rounds = write.mock.calls.length;
      await until(() => {
        later(MINUTE);
        return write.mock.calls.length > rounds;
      }, 1000 * MINUTE);
      return write.mock.results[rounds]!.value;
    };
    proxy.close();
    await expect(cleaning()).rejects.toThrow('unavailable');
    proxy.reopen();
    expect(await cleaning()).toEqual([]);
  });
});

describe('a slow database', () => {
  let service: Service;
  let user: Account;

  beforeAll(async () => {
    const env = { DB_POOL_SIZE: '2', DB_ACQUIRE_TIMEOUT: '1s', DB_STATEMENT_TIMEOUT: '1s' };
    service = await startService(env);
    user = await service.account();
  });

  it('answers 503 after DB_STATEMENT_TIMEOUT, and the connection is used again', async () => {
    const lock = await Lock.take(service, 'LOCK TABLE properties IN ACCESS EXCLUSIVE MODE', []);
    await expectUnavailable(user.get('/api/properties'), 900);
    await expectUnavailable(user.post('/api/properties', propertyRequest()), 900);
    await until(async () => (await waitingForLocks(service)) === 0); // so that nothing is stored later
    await lock.release();
    expect((await user.get('/api/properties')).status).toBe(200);
    expect(service.app.get(Connections).pool.totalCount).toBeLessThanOrEqual(2);
  });

  it('answers 503 after DB_ACQUIRE_TIMEOUT while no connection is free, and 200 once one is', async () => {
    const pool = service.app.get(Connections).pool;
    const taken = [await pool.connect(), await pool.connect()];
    const accounts = await Promise.all(Array.from({ length: 20 }, () => service.account()));
    await Promise.all(accounts.map((account) => expectUnavailable(account.get('/api/properties'), 900)));
    for (const client of taken) client.release();
    expect((await user.get('/api/properties')).status).toBe(200);
    expect({ total: pool.totalCount, waiting: pool.waitingCount }).toEqual({ total: 2, waiting: 0 });
  });

  it('that answers a new connection after DB_ACQUIRE_TIMEOUT leaves it to the next request', async () => {
    const late = await startService({ DB_POOL_SIZE: '1', DB_ACQUIRE_TIMEOUT: '1s' });
    const { pool } = late.app.get(Connections);
    const caller = await late.account();
    const taken = await pool.connect();
    const lock = await Lock.take(late, 'LOCK TABLE pg_extension IN ACCESS EXCLUSIVE MODE', []);
    const response = caller.get('/api/properties');
    await until(() => pool.waitingCount === 1);
    taken.release(true); // lost: the request gets another one
    await lock.waitedForBy(1);
    await expectUnavailable(response, 0);
    await lock.release();
    expect((await caller.get('/api/properties')).status).toBe(200);
  });
});

describe('a statement that PostgreSQL undoes', () => {
  let service: Service;
  let user: Account;
  let id: number;

  beforeAll(async () => {
    service = await startService();
    user = await service.account();
    id = (await createProperty(user)).id;
    await service.sql(`
      CREATE SEQUENCE attempts;
      CREATE TABLE failures (code text, times int);
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE failure failures; BEGIN
        SELECT * INTO failure FROM failures;
        IF nextval('attempts') <= failure.times THEN RAISE 'made to fail' USING ERRCODE = failure.code; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER fails BEFORE INSERT OR UPDATE ON properties FOR EACH ROW EXECUTE FUNCTION fail();
      CREATE TRIGGER fails BEFORE INSERT OR UPDATE ON transactions FOR EACH ROW EXECUTE FUNCTION fail()`);
  });
  // Which code is which problem: src/database/errors.spec.ts.
  it.each([
    ['40001', 2, '200', 3],
    ['40P01', 3, '409 concurrent-modification', 3],
    ['57014', 1, '503 service-unavailable', 1],
    ['08006', 1, '503 service-unavailable', 1], // of severity ERROR: a node of Citus is away
    ['23505', 1, '500 internal-error', 1], // of a key that no request brings
    ['XX000', 1, '500 internal-error', 1],
  ])('with %s, %i times, answers %s after %i attempts', async (code, times, outcome, attempts) => {
    for (const send of [
      () => user.post('/api/properties', propertyRequest()),
      () => user.put(`/api/properties/${id}`, propertyRequest()),
      () => user.post('/api/transactions', transactionRequest(id)),
      () => user.post('/api/properties', propertyRequest(), { 'idempotency-key': code }),
    ]) {
      await service.sql(`TRUNCATE failures; ALTER SEQUENCE attempts RESTART`);
      await service.sql('INSERT INTO failures VALUES ($1, $2)', [code, times]);
      expect(outcomeOf(await send())).toBe(outcome);
      expect(await service.sql('SELECT last_value::int AS n FROM attempts')).toEqual([{ n: attempts }]);
    }
  });

  it('a read that fails to be serialized twice answers 200 after 3 attempts', async () => {
    await service.sql(`
      ALTER SEQUENCE attempts RESTART;
      CREATE FUNCTION is_read() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempts') <= 2 THEN RAISE 'made to fail' USING ERRCODE = '40001'; END IF;
        RETURN true;
      END $$;
      ALTER TABLE properties RENAME TO kept; CREATE VIEW properties AS SELECT * FROM kept WHERE is_read()`);
    const answered = outcomeOf(await user.get(`/api/properties/${id}`));
    const attempts = await service.sql('SELECT last_value::int AS n FROM attempts');
    await service.sql('DROP VIEW properties; DROP FUNCTION is_read; ALTER TABLE kept RENAME TO properties');
    expect([answered, attempts]).toEqual(['200', [{ n: 3 }]]);
  });
});
