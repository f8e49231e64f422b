import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Database } from '../src/database/database.js';
import type { Answer, Client } from './support/client.js';
import { openConnection, rowsOf } from './support/connect.js';
import { createDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { Launched } from './support/launched.js';
import { Lock, waitingForLocks } from './support/locks.js';
import { LogLines } from './support/log-lines.js';
import { opened } from './support/opened.js';
import { PostgresServer } from './support/postgres-server.js';
import { expectDocument, problemFaults } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const LIVENESS = '/actuator/health/liveness';
const READINESS = '/actuator/health/readiness';
const HEALTH = '/actuator/health';

/** What a busy machine may take on top of a timeout; without the tests' settings it would be 5 s and more. */
const MARGIN = 4000;

async function timed<T>(work: Promise<T>): Promise<{ result: T; milliseconds: number }> {
  const started = performance.now();
  const result = await work;
  return { result, milliseconds: performance.now() - started };
}

async function expectHealth(client: Client, path: string, status: number, state: string): Promise<void> {
  const answer = await client.get(path);
  expect([path, answer.status, answer.text]).toEqual([path, status, `{"status":"${state}"}`]);
}

describe('a database of its own', () => {
  const PASSWORD = 'a-password-nobody-may-see';
  let server: PostgresServer;

  beforeAll(async () => void (server = await PostgresServer.start()));

  it('that is away at the start is waited for, and then migrated without anybody’s help', async () => {
    await server.stop();
    const log = new LogLines();
    const connect = jest.spyOn(pg.Pool.prototype, 'connect');
    opened(() => connect.mockRestore());
    const service = await Launched.at(server.url, { LOG_LEVEL: 'info' });
    await expectHealth(service.anonymous, LIVENESS, 200, 'UP');
    await expectHealth(service.anonymous, READINESS, 503, 'DOWN');
    await expectHealth(service.anonymous, HEALTH, 503, 'DOWN');
    expectDocument(await service.caller().get('/api/properties'), 'service-unavailable', '/api/properties');
    const signIn = await service.anonymous.post('/api/auth/signin', { username: 'a', password: 'b' });
    expectDocument(signIn, 'service-unavailable', '/api/auth/signin');
    expectDocument(await service.anonymous.get('/api/properties'), 'authentication-required');
    const attempts = connect.mock.calls.length;
    await until(() => connect.mock.calls.length >= attempts + 2);
    expect(log.at('warn').filter(({ msg }) => msg?.endsWith('trying on'))).toMatchObject([
      { reason: 'connection-refused' },
    ]);

    await server.start();
    await service.ready();
    await expectHealth(service.anonymous, READINESS, 200, 'UP');
    expect((await service.caller().get('/api/properties')).status).toBe(401); // nobody has signed up yet
    expect(log.at('info').map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['the schema was migrated', 'the database is ready']),
    );
    expect(log.at('error')).toEqual([]);
  });

  it('that refuses the password does not hold the start, and the log says so without the password', async () => {
    await server.sql(`CREATE ROLE app LOGIN PASSWORD '${PASSWORD}'`);
    const rules = join(server.data, 'pg_hba.conf');
    writeFileSync(rules, `local all app scram-sha-256\n${readFileSync(rules, 'utf8')}`);
    await server.sql('SELECT pg_reload_conf()');

    const url = server.url.replace('//postgres@', '//app@');
    const log = new LogLines();
    const service = await Launched.at(url, { LOG_LEVEL: 'trace', DB_PASSWORD: `${PASSWORD}-that-is-wrong` });
    await until(() => log.at('warn').length > 0);
    expect(log.at('warn')).toEqual([expect.objectContaining({ reason: 'access-refused' })]);
    await expectHealth(service.anonymous, LIVENESS, 200, 'UP');
    await expectHealth(service.anonymous, READINESS, 503, 'DOWN');
    expectDocument(await service.caller().get('/api/properties'), 'service-unavailable', '/api/properties');
    expect(log.text).not.toContain(PASSWORD);
  });
});

describe('a server process that stops in the middle of a statement', () => {
  let server: PostgresServer;
  let service: Service;
  let user: Account;

  beforeAll(async () => {
    server = await PostgresServer.start();
    service = await startService(
      { DB_POOL_SIZE: '1', DB_STATEMENT_TIMEOUT: '200ms', DB_ACQUIRE_TIMEOUT: '300ms' },
      server.url,
    );
    user = await service.account();
  });

  const backend = async (): Promise<number> => {
    const [row] = await service.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'property-finance' AND datname = current_database()
          AND query NOT LIKE '%FROM users%'`,
    );
    return row!.pid;
  };

  it.each<[name: string, send: (id: number) => Promise<Answer>]>([
    ['a read', (id) => user.get(`/api/properties/${id}`)],
    ['a write', (id) => user.put(`/api/properties/${id}`, propertyRequest())],
  ])('is 503 for %s, and the next request does not wait for that connection', async (_, send) => {
    const { id } = await createProperty(user);
    const hanging = await backend();
    process.kill(hanging, 'SIGSTOP');
    try {
      const { result, milliseconds } = await timed(send(id));
      expectDocument(result, 'service-unavailable', `/api/properties/${id}`);
      expect(milliseconds).toBeLessThan(1200 + MARGIN); // PostgreSQL does not end it, so the driver does, a second later
      const next = await timed(user.get(`/api/properties/${id}`));
      expect(next.result).toMatchObject({ status: 200, json: { id } });
      expect(next.milliseconds).toBeLessThan(300 + MARGIN);
    } finally {
      process.kill(hanging, 'SIGCONT');
    }
    await until(async () => (await backend()) !== hanging);
    expect(service.app.get(Database).pool!.totalCount).toBe(1);
  });
});

describe('a database that is lost', () => {
  let direct: Service;
  let proxy: DatabaseProxy;
  let service: Launched;
  let user: Client;
  let propertyId: number;

  beforeAll(async () => {
    direct = await startService();
    const account = await direct.account();
    propertyId = (await createProperty(account)).id;
    proxy = await DatabaseProxy.to(direct.settings.database.url);
    await proxy.reopen();
    service = await Launched.at(proxy.url(direct.settings.database.url), { DB_ACQUIRE_TIMEOUT: '500ms' });
    await service.ready();
    user = service.caller(account.id);
  });
  afterEach(() => proxy.reopen());

  /** Asks from four sides at once until it is told to stop. */
  function traffic(): { answers: Answer[]; stop: () => Promise<Answer[]> } {
    const answers: Answer[] = [];
    let going = true;
    const lanes = Array.from({ length: 4 }, async (_, lane) => {
      while (going) {
        const path = lane % 2 === 0 ? '/api/properties' : `/api/properties/${propertyId}`;
        answers.push(await user.get(path));
        await sleep(2);
      }
    });
    const stop = async (): Promise<Answer[]> => {
      going = false;
      await Promise.all(lanes);
      return answers;
    };
    return { answers, stop };
  }

  it('is 503 under traffic and nothing worse, and everything is well once it is back', async () => {
    const { answers, stop } = traffic();
    await until(() => answers.length > 20);
    await proxy.close();
    await until(() => answers.filter(({ status }) => status === 503).length > 20);
    await expectHealth(service.anonymous, LIVENESS, 200, 'UP');
    await expectHealth(service.anonymous, READINESS, 503, 'DOWN');
    await proxy.reopen();
    const lost = answers.length;
    await until(() => answers.slice(lost).some(({ status }) => status === 200));
    const healed = answers.length;
    await until(() => answers.length > healed + 40);
    await stop();
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 503]);
    expect(answers.filter(({ status }) => status === 503).flatMap((answer) => problemFaults(answer))).toEqual(
      [],
    );
    expect(answers.slice(healed).filter(({ status }) => status !== 200)).toEqual([]);
    await expectHealth(service.anonymous, READINESS, 200, 'UP');
  });

  it('is one line of the log when it is back, without a health check', async () => {
    const log = new LogLines();
    const logging = await Launched.at(proxy.url(direct.settings.database.url), { LOG_LEVEL: 'info' });
    await logging.ready();
    const caller = logging.caller();
    await caller.get('/api/properties');
    await proxy.close();
    await until(async () => (await caller.get('/api/properties')).status === 503);
    await proxy.reopen();
    await until(async () => (await caller.get('/api/properties')).status !== 503);
    await caller.get('/api/properties');
    const again = log.at('info').filter(({ msg }) => msg === 'the database answers again');
    expect(again).toHaveLength(1);
    await logging.stop();
  });

  it('is 503 for a write, and the write is there or not, but never twice', async () => {
    const count = async (): Promise<number> =>
      (await direct.sql<{ n: number }>(`SELECT count(*)::int AS n FROM properties WHERE name = 'once'`))[0]!
        .n;
    await proxy.close();
    const answer = await user.post('/api/properties', propertyRequest({ name: 'once' }));
    expectDocument(answer, 'service-unavailable', '/api/properties');
    await proxy.reopen();
    expect(await count()).toBe(0);
    expect((await user.post('/api/properties', propertyRequest({ name: 'once' }))).status).toBe(200);
    expect(await count()).toBe(1);
  });

  it('is 503 within the time to wait for a connection when it takes connections and says nothing', async () => {
    await proxy.close();
    await proxy.reopen(); // every connection of the pool is gone
    proxy.hang();
    const { result, milliseconds } = await timed(user.get('/api/properties'));
    expectDocument(result, 'service-unavailable', '/api/properties');
    expect(milliseconds).toBeLessThan(500 + MARGIN);
    await proxy.reopen();
    await until(async () => (await user.get('/api/properties')).status === 200);
  });

  /** All at once, as when the server is restarted; done when they are gone. */
  async function terminateAll(): Promise<void> {
    const pool = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'property-finance'`;
    const rows = await direct.sql<{ pid: number }>(`SELECT pid, pg_terminate_backend(pid) ${pool}`);
    const pids = rows.map(({ pid }) => pid);
    await until(async () => (await direct.sql(`SELECT ${pool} AND pid = ANY ($1)`, [pids])).length === 0);
  }

  it('for a moment, in all of its connections, under traffic, is not seen by who reads', async () => {
    const { answers, stop } = traffic();
    for (let round = 1; round <= 5; round++) {
      await until(() => answers.length > 20 * round);
      await terminateAll();
    }
    const statuses = (await stop()).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  it('in the middle of a read is not seen by who reads', async () => {
    const lock = await Lock.take(direct, 'LOCK TABLE properties IN ACCESS EXCLUSIVE MODE', []);
    const reading = user.get(`/api/properties/${propertyId}`);
    await lock.waitedForBy(1);
    await terminateAll();
    await lock.waitedForBy(1); // the same read, on another connection
    await lock.release();
    expect((await reading).status).toBe(200);
  });

  it('in the middle of a write is 503, and the write is not repeated', async () => {
    const { id } = (await user.post('/api/properties', propertyRequest())).json as { id: number };
    const lock = await Lock.take(direct, 'SELECT FROM properties WHERE id = $1 FOR UPDATE', [id]);
    const writing = user.put(`/api/properties/${id}`, propertyRequest({ name: 'changed' }));
    await lock.waitedForBy(1);
    await terminateAll();
    expectDocument(await writing, 'service-unavailable', `/api/properties/${id}`);
    await lock.release();
    expect((await user.get(`/api/properties/${id}`)).json).toMatchObject({ name: 'Seaside Cottage' });
  });
});

describe('a database that is slow', () => {
  const ACQUIRE = 300;
  const STATEMENT = 400;
  let service: Service;
  let user: Account;

  beforeAll(async () => {
    service = await startService({
      DB_POOL_SIZE: '2',
      DB_ACQUIRE_TIMEOUT: `${ACQUIRE}ms`,
      DB_STATEMENT_TIMEOUT: `${STATEMENT}ms`,
    });
    user = await service.account();
    await createProperty(user);
  });

  const lockTable = (): Promise<Lock> =>
    Lock.take(service, 'LOCK TABLE properties IN ACCESS EXCLUSIVE MODE', []);

  it('is 503 for a statement that takes too long, and the connection serves on', async () => {
    const lock = await lockTable();
    const { result, milliseconds } = await timed(user.get('/api/properties'));
    await lock.release();
    expectDocument(result, 'service-unavailable', '/api/properties');
    expect(milliseconds).toBeGreaterThan(STATEMENT - 50);
    expect(milliseconds).toBeLessThan(STATEMENT + MARGIN);
    expect((await user.get('/api/properties')).status).toBe(200);
    expect(service.app.get(Database).pool!.totalCount).toBeLessThanOrEqual(2);
  });

  it('is 503 for who finds no free connection in time, and well when there is one again', async () => {
    const pool = service.app.get(Database).pool!;
    const taken = [await pool.connect(), await pool.connect()];
    const waits = await Promise.all(
      Array.from({ length: 20 }, async () => timed((await service.account()).get('/api/properties'))),
    );
    for (const { result, milliseconds } of waits) {
      expectDocument(result, 'service-unavailable', '/api/properties');
      expect(milliseconds).toBeGreaterThan(ACQUIRE - 50);
      expect(milliseconds).toBeLessThan(ACQUIRE + MARGIN);
    }
    for (const client of taken) client.release();
    expect((await user.get('/api/properties')).status).toBe(200);
    expect({ total: pool.totalCount, waiting: pool.waitingCount }).toEqual({ total: 2, waiting: 0 });
  });
});

describe('a write that PostgreSQL undoes', () => {
  let service: Service;
  let user: Account;

  beforeAll(async () => {
    const url = await createDatabase();
    await rowsOf(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET deadlock_timeout = '100ms'`);
    service = await startService({}, url);
    user = await service.account();
    await service.sql('CREATE SEQUENCE attempts');
    await service.sql('CREATE TABLE failures (code text, times int)');
    await service.sql(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE failure failures;
      BEGIN
        SELECT * INTO failure FROM failures;
        IF nextval('attempts') <= failure.times THEN
          RAISE EXCEPTION 'made to fail' USING ERRCODE = failure.code;
        END IF;
        RETURN NEW;
      END $$`);
    for (const table of ['properties', 'transactions'])
      await service.sql(
        `CREATE TRIGGER fails BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION fail()`,
      );
  });
  beforeEach(() => failing('00000', 0));

  /** Lets the next writes fail so many times. */
  async function failing(code: string, times: number): Promise<void> {
    await service.sql('TRUNCATE failures');
    await service.sql('INSERT INTO failures VALUES ($1, $2)', [code, times]);
    await service.sql(`SELECT setval('attempts', 1, false)`);
  }

  const attempts = async (): Promise<number> =>
    Number((await service.sql<{ next: string }>(`SELECT nextval('attempts') AS next`))[0]!.next) - 1;

  const WRITES: [name: string, send: () => Promise<Answer>][] = [
    ['a new property', () => user.post('/api/properties', propertyRequest())],
    ['a changed property', async () => user.put(`/api/properties/${await made()}`, propertyRequest())],
    ['a new transaction', async () => user.post('/api/transactions', transactionRequest(await made()))],
  ];

  let existing: number | undefined;
  const made = async (): Promise<number> => (existing ??= (await createProperty(user)).id);

  describe.each(WRITES)('of %s', (_, send) => {
    beforeAll(async () => {
      await made();
    });

    it('is repeated twice', async () => {
      await failing('40001', 2);
      expect((await send()).status).toBe(200);
      expect(await attempts()).toBe(3);
    });

    it('is 409 the third time', async () => {
      await failing('40P01', 3);
      expectDocument(await send(), 'concurrent-modification');
      expect(await attempts()).toBe(3);
    });

    // Which code is which problem: src/database/errors.spec.ts.
    it.each([
      ['57014', 'service-unavailable'],
      ['22003', 'malformed-request'],
      ['XX000', 'internal-error'],
    ])('is not repeated for %s, which is %s', async (code, slug) => {
      await failing(code, 1);
      expectDocument(await send(), slug);
      expect(await attempts()).toBe(1);
    });
  });

  it('is repeated after a real deadlock, and one row is written', async () => {
    const { id } = await createProperty(user);
    await createTransaction(user, id);
    const other = await openConnection(service.settings.database.url);
    await other.query(`SET deadlock_timeout = '10s'`); // so that the service is the one to give way
    await other.query('BEGIN');
    await other.query('SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE', [user.id]);
    const writing = user.post(
      '/api/transactions',
      transactionRequest(id, { description: 'through a deadlock' }),
    );
    await until(async () => (await waitingForLocks(service)) === 1); // it has the property's key and wants the total
    await other.query('SELECT FROM properties WHERE id = $1 FOR UPDATE', [id]); // it has the total and wants the key
    await other.query('COMMIT');
    expect((await writing).status).toBe(200);
    const rows = await service.sql(`SELECT FROM transactions WHERE description = 'through a deadlock'`);
    expect(rows).toHaveLength(1);
  });
});
