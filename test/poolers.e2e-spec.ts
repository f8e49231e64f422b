import { MIGRATIONS } from '../migrations/all.js';
import { Database } from '../src/database/database.js';
import { NOBODY } from '../src/database/shares.js';
import { migrate } from '../src/database/migrate.js';
import { openConnection } from './support/connect.js';
import { createDatabase, createEmptyDatabase } from './support/database.js';
import { createProperty, createTransaction, propertyRequest } from './support/factories.js';
import { FakePooler, type PoolerManners } from './support/fake-pooler.js';
import { Launched } from './support/launched.js';
import { Lock } from './support/locks.js';
import { LogLines } from './support/log-lines.js';
import { expectDocument } from './support/problem-document.js';
import { type Service, startService } from './support/service.js';
import { signUpRequest } from './support/sign-up.js';
import { testSettings } from './support/settings.js';
import { until } from './support/until.js';

type Mode = 'session' | 'transaction';
const MODES: readonly Mode[] = ['session', 'transaction'];
const mannersOf = (mode: Mode): PoolerManners => ({ refuses: true, byTransaction: mode === 'transaction' });

/** The service by way of a pooler, while `sql` and the locks go straight to the database. */
async function startBehind(
  mode: Mode,
  env: Record<string, string> = {},
  manners = mannersOf(mode),
): Promise<[Service, string]> {
  const direct = await createDatabase();
  const url = await FakePooler.before(direct, manners);
  const service = await startService({ DB_POOLER: mode, DB_URL: url, ...env }, direct);
  return [Object.assign(service, { settings: testSettings(direct) }), url];
}

/** The process of PostgreSQL that a service with one connection has now. */
const backend = async (service: Service): Promise<number> => {
  const rows = await service.app
    .get(Database)
    .read<{ pid: number }>(NOBODY, { text: 'SELECT pg_backend_pid() AS pid' }, []);
  return rows[0]!.pid;
};

it('a service whose DB_POOLER is none stays unready behind a pooler, and the log names the setting', async () => {
  const log = new LogLines();
  const url = await FakePooler.before(await createDatabase(), mannersOf('session'));
  const service = await Launched.at(url, { LOG_LEVEL: 'warn' });
  await until(() => log.at('warn').length > 0);
  const remedy: unknown = expect.stringMatching(
    /^behind a pooler set DB_POOLER=session or DB_POOLER=transaction/,
  );
  expect(log.at('warn')).toEqual([expect.objectContaining({ reason: 'startup-parameters', remedy })]);
  expectDocument(await service.caller().get('/api/properties'), 'service-unavailable', '/api/properties');
  expect((await service.anonymous.get('/actuator/health/readiness')).status).toBe(503);
});

describe.each(MODES)('a service behind a pooler in %s mode', (mode) => {
  it('answers as without one, with the parameters in each transaction', async () => {
    const [service] = await startBehind(mode);
    const user = await service.account();
    const { id } = await createProperty(user);
    await createTransaction(user, id);
    expect((await user.put(`/api/properties/${id}`, propertyRequest())).status).toBe(200);
    expect((await user.get('/api/transactions')).json).toMatchObject({ totalElements: 1 });
    expect((await service.anonymous.post('/api/auth/signup', signUpRequest())).status).toBe(201);
    expectDocument(await user.delete(`/api/properties/${id}`), 'resource-in-use');
    const rows = await service.app.get(Database).read(
      NOBODY,
      {
        text: `SELECT current_setting('statement_timeout') AS statement, current_setting('work_mem') AS memory,
                        current_setting('idle_in_transaction_session_timeout') AS idle`,
      },
      [],
    );
    expect(rows).toEqual([{ statement: '5s', memory: '16MB', idle: '5s' }]);
  });
});

describe('a write that was answered 503', () => {
  const HASTE = { DB_STATEMENT_TIMEOUT: '700ms', DB_POOL_SIZE: '2' };

  const isStored = async (service: Service): Promise<boolean> => {
    await service.sql(`SELECT pg_sleep(0.3)`);
    const rows = await service.sql('SELECT FROM properties');
    return rows.length > 0;
  };

  it.each(['none', ...MODES] as const)(
    'because of a locked table is not stored later, DB_POOLER=%s',
    async (mode) => {
      const service = mode === 'none' ? await startService(HASTE) : (await startBehind(mode, HASTE))[0];
      const user = await service.account();
      await service.sql('INSERT INTO owner_totals (owner_id) VALUES ($1) ON CONFLICT DO NOTHING', [user.id]);
      const lock = await Lock.take(service, 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE', [
        user.id,
      ]);
      expectDocument(await user.post('/api/properties', propertyRequest()), 'service-unavailable');
      await lock.release();
      expect(await isStored(service)).toBe(false);
      expect((await user.post('/api/properties', propertyRequest())).status).toBe(200);
    },
  );

  it('is not stored either where the pooler has handed it on so late that it outlives the request', async () => {
    const [service, url] = await startBehind('transaction', { DB_STATEMENT_TIMEOUT: '1500ms' });
    await service.sql('CREATE TABLE late (x int)');
    const lock = await Lock.take(service, 'LOCK TABLE late IN SHARE MODE', []);
    const other = await openConnection(url);
    await other.query('BEGIN');
    const write = service.app.get(Database).write(NOBODY, { text: 'INSERT INTO late VALUES (1)' }, []);
    setTimeout(() => void other.query('COMMIT'), 1800); // then PostgreSQL ends it after 3.3 s, and the driver after 2.5 s
    await expect(write).rejects.toMatchObject({ status: 503 });
    await lock.waitedForBy(1);
    await lock.release();
    await service.sql('SELECT pg_sleep(0.3)');
    expect(await service.sql('SELECT FROM late')).toEqual([]);
  });

  it('because the pooler had no connection to spare says so in the log', async () => {
    const log = new LogLines();
    const [service, url] = await startBehind('transaction', { ...HASTE, LOG_LEVEL: 'warn' });
    const user = await service.account();
    const other = await openConnection(url);
    await other.query('BEGIN');
    expectDocument(await user.get('/api/properties'), 'service-unavailable');
    await other.query('COMMIT');
    const reason: unknown = expect.stringMatching(/is the pool of the pooler smaller/);
    expect(log.at('warn')).toContainEqual(expect.objectContaining({ reason }));
    expect((await user.get('/api/properties')).status).toBe(200);
  });
});

describe('prepared statements', () => {
  const preparedIn = (service: Service): Promise<unknown[]> =>
    service.app.get(Database).read(NOBODY, { text: 'SELECT name FROM pg_prepared_statements' }, []);

  it.each([
    ['are used', 'none'],
    ['are used', 'session'],
    ['are not used', 'transaction'],
  ])('%s with DB_POOLER=%s', async (_, mode) => {
    const service = await startService({ DB_POOLER: mode, DB_POOL_SIZE: '1' });
    await createProperty(await service.account());
    const prepared = await preparedIn(service);
    if (mode === 'transaction') expect(prepared).toEqual([]);
    else expect(prepared).not.toEqual([]);
  });

  it.each(['26000', '42P05'])('that another session has lost or holds are 503: %s', async (code) => {
    const service = await startService({ DB_POOL_SIZE: '1' });
    const user = await service.account();
    const { id } = await createProperty(user);
    await user.get(`/api/properties/${id}`); // prepares the statement
    const session = await service.app.get(Database).pool!.connect();
    const { parsedStatements } = (
      session as unknown as { connection: { parsedStatements: Record<string, string> } }
    ).connection;
    if (code === '26000') await session.query('DEALLOCATE ALL');
    else for (const name of Object.keys(parsedStatements)) Reflect.deleteProperty(parsedStatements, name);
    session.release();
    expectDocument(await user.get(`/api/properties/${id}`), 'service-unavailable');
  });
});

describe('instances that migrate by way of a pooler in transaction mode', () => {
  it('apply each migration once, though they share one connection', async () => {
    const url = await FakePooler.before(await createEmptyDatabase(), mannersOf('transaction'));
    const { database } = testSettings(url, { DB_POOLER: 'transaction' });
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database)));
    expect(applied.flat().sort()).toEqual(MIGRATIONS.map((migration) => new migration().name).sort());
  });
});

describe('an error of class 08', () => {
  const triesIn = async (service: Service): Promise<number> =>
    (await service.sql<{ tries: number }>('SELECT last_value::int AS tries FROM tries'))[0]!.tries;

  it('of severity ERROR is 503, keeps the connection and is not repeated', async () => {
    const service = await startService({ DB_POOL_SIZE: '1' });
    const user = await service.account();
    await service.sql('CREATE SEQUENCE tries');
    await service.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('tries'); RAISE 'the node is away' USING ERRCODE = '08006'; END $$`);
    await service.sql(
      'CREATE TRIGGER refuse BEFORE INSERT ON properties FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    const before = await backend(service);
    expectDocument(await user.post('/api/properties', propertyRequest()), 'service-unavailable');
    expect(await triesIn(service)).toBe(1);
    await service.sql(`CREATE FUNCTION look() RETURNS int LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('tries'); RAISE 'the node is away' USING ERRCODE = '08006'; END $$`);
    await expect(service.app.get(Database).read(NOBODY, { text: 'SELECT look()' }, [])).rejects.toThrow(
      'not available',
    );
    expect(await triesIn(service)).toBe(2);
    expect(await backend(service)).toBe(before);
  });

  it('of severity FATAL is 503 for a write, and the connection is dropped', async () => {
    const [service] = await startBehind('session', { DB_POOL_SIZE: '1' }, { crashesAt: 'Crash here' });
    const user = await service.account();
    const before = await backend(service);
    expectDocument(
      await user.post('/api/properties', propertyRequest({ name: 'Crash here' })),
      'service-unavailable',
    );
    expect(await backend(service)).not.toBe(before);
    expect((await user.post('/api/properties', propertyRequest())).status).toBe(200);
  });
});
