import { MIGRATIONS } from '../migrations/all.js';
import { Database } from '../src/database/database.js';
import { migrate, withDataSource } from '../src/database/migrate.js';
import { NOBODY } from '../src/database/shares.js';
import { expectProblem } from './support/responses.js';
import { createDatabase, createEmptyDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { createProperty, createTransaction, propertyRequest } from './support/factories.js';
import { poolerBefore, transactionPoolerBefore } from './support/fake-pooler.js';
import { Lock } from './support/locks.js';
import { LogLines } from './support/log-lines.js';
import { watchStatements } from './support/sent-statements.js';
import { Service, startService } from './support/service.js';
import { testSettings } from './support/settings.js';
import { until } from './support/until.js';

const UNAVAILABLE = 'service-unavailable';

/** The service by way of a pooler, while `sql` and the locks go straight to the database. */
async function startBehind(mode: string, env: Record<string, string>): Promise<Service> {
  const direct = await createDatabase();
  const url = await poolerBefore(direct);
  const service = await startService({ DB_POOLER: mode, DB_URL: url, ...env }, direct);
  return Object.assign(service, { settings: testSettings(direct) });
}

/** Rows on a connection of the service. */
const read = <Row extends object>({ app }: Service, text: string): Promise<Row[]> =>
  app.get(Database).read<Row & Record<string, unknown>>(NOBODY, { text }, []);

it.each(['none', 'session', 'transaction'])(
  'DB_POOLER=%s: each transaction has the parameters',
  async (mode) => {
    const timeout = { DB_STATEMENT_TIMEOUT: '7s' };
    const service = await (mode === 'none' ? startService(timeout) : startBehind(mode, timeout));
    const SETTINGS = ['statement_timeout', 'idle_in_transaction_session_timeout', 'work_mem'];
    const settings = SETTINGS.map((name) => `current_setting('${name}')`).join();
    const text = `SELECT ARRAY[${settings}, current_setting('max_parallel_workers_per_gather')] AS settings`;
    expect(await read(service, text)).toEqual([{ settings: ['7s', '7s', '24MB', '0'] }]);
  },
);

describe.each(['session', 'transaction'])('DB_POOLER=%s', (mode) => {
  it('answers as without a pooler', async () => {
    const service = await startBehind(mode, { DB_POOL_SIZE: '1' });
    const user = await service.account();
    const { id } = await createProperty(user);
    await createTransaction(user, id);
    expect((await user.get('/api/transactions')).json).toMatchObject({ totalElements: 1 });
    expectProblem(await user.delete(`/api/properties/${id}`), 'resource-in-use');
    const prepared = await read(service, 'SELECT FROM pg_prepared_statements');
    expect(prepared.length > 0).toBe(mode === 'session');
  });

  it('commits a write once it has succeeded, and never one that answers 503', async () => {
    const service = await startBehind(mode, { DB_STATEMENT_TIMEOUT: '1500ms' });
    const user = await service.account();
    await createProperty(user); // the lock needs the owner's total
    const held = 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE';
    const lock = await Lock.take(service, held, [user.id]);
    const sent = watchStatements();
    const writing = user.post('/api/properties', propertyRequest());
    await lock.waitedForBy(1);
    expectProblem(await writing, UNAVAILABLE);
    const texts = sent.all().map(({ text }) => text);
    expect(texts.slice(texts.findIndex((text) => text.includes('INSERT')))).not.toContain('COMMIT');
    await lock.release();
    sent.clear();
    expect((await user.post('/api/properties', propertyRequest())).status).toBe(200);
    expect(sent.all().at(-1)!.text).toBe('COMMIT');
    expect((await user.get('/api/properties')).json).toMatchObject({ totalElements: 2 });
  });
});

it('DB_POOLER=transaction leaves nothing in the session, neither by requests nor by migrations', async () => {
  const url = await createEmptyDatabase();
  const { database } = testSettings(url, { DB_POOLER: 'transaction' });
  const sent = watchStatements();
  const applied = await Promise.all([1, 2, 3].map(() => withDataSource(database, migrate)));
  expect(applied.flat().sort()).toEqual(MIGRATIONS.map((migration) => new migration().name).sort());
  const service = await startService({ DB_POOLER: 'transaction' }, url);
  await createProperty(await service.account());
  const LASTING = /^(SET (?!LOCAL|TRANSACTION)|LISTEN|PREPARE)|pg_(try_)?advisory_lock/;
  expect(sent.all().filter(({ text }) => LASTING.test(text))).toEqual([]);
});

describe('a pooler in transaction mode', () => {
  const start = async (mode: string): Promise<Service> =>
    Service.at(await transactionPoolerBefore(await createDatabase()), { DB_POOLER: mode, LOG_LEVEL: 'warn' });

  it('is served from with DB_POOLER=transaction', async () => {
    const service = await (await start('transaction')).ready();
    await createProperty(await service.account());
  });

  it('leaves the service unready with DB_POOLER=session, and the log names the remedy', async () => {
    const log = new LogLines();
    const service = await start('session');
    await until(() => log.at('warn').length > 0);
    const remedy = 'behind a pooler in transaction mode set DB_POOLER=transaction';
    expect(log.at('warn')).toMatchObject([{ reason: 'prepared-statements', remedy }]);
    expect(service.isReady).toBe(false);
  });
});

it('a session that has lost its prepared statements makes the service unready, until it keeps them', async () => {
  const log = new LogLines();
  const service = await startService({ DB_POOL_SIZE: '1', LOG_LEVEL: 'info' });
  const user = await service.account();
  expect((await user.get('/api/properties')).status).toBe(200);
  await read(service, 'DEALLOCATE ALL');
  expectProblem(await user.get('/api/properties'), UNAVAILABLE);
  expect(service.isReady).toBe(false);
  await service.ready();
  expect((await user.get('/api/properties')).status).toBe(200);
  expect(log.lines.filter(({ msg }) => msg === 'the database is ready')).toHaveLength(2);
});

it('a transaction that a pooler does not begin in time answers 503, and the log names the pool', async () => {
  const log = new LogLines();
  const direct = await createDatabase();
  const proxy = await DatabaseProxy.open();
  const env = { DB_POOLER: 'transaction', DB_STATEMENT_TIMEOUT: '1500ms', LOG_LEVEL: 'warn' };
  const service = await startService({ ...env, DB_URL: proxy.url(direct), DB_POOL_SIZE: '1' }, direct);
  const user = await service.account();
  await user.get('/api/properties');
  proxy.swallow();
  expectProblem(await user.get('/api/users/me'), UNAVAILABLE);
  proxy.heal();
  expect(log.text).toContain('is the pool of the pooler smaller');
  await until(async () => (await user.get('/api/properties')).status === 200);
});
