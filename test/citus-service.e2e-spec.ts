import { expectProblem } from './support/responses.js';
import { citusServers } from './support/citus.js';
import { createDatabase } from './support/database.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { pretendCitus } from './support/fake-citus.js';
import { Lock } from './support/locks.js';
import { watchStatements } from './support/sent-statements.js';
import { startService } from './support/service.js';
import { until } from './support/until.js';

const MISSING = 9_007_199_254_740_991;

it.each([
  ['share statements of at most 16 rows', false],
  ['have a statement each where owners are on several servers', true],
])('GET and PUT of many rows find each by its owner, and the look-ups %s', async (_, spread) => {
  const url = await createDatabase();
  if (spread) await pretendCitus(url, {});
  const service = await startService({}, url);
  const accounts = [await service.account(), await service.account()];
  const paths = [`/api/properties/${MISSING}`, `/api/transactions/${MISSING}`];
  for (const account of [...accounts, ...accounts, ...accounts, ...accounts]) {
    const { id } = await createProperty(account);
    paths.push(`/api/properties/${id}`, `/api/transactions/${(await createTransaction(account, id)).id}`);
  }
  const requests = paths.flatMap((path) =>
    accounts.map((account) => async (): Promise<unknown> => {
      const { status, headers, text } = await account.get(path);
      return [path, status, headers.get('etag'), status === 200 ? text : null];
    }),
  );
  const body = { ...propertyRequest(), ...transactionRequest(MISSING) };
  for (const path of paths.slice(0, 2).flatMap((one) => [one, one, one]))
    requests.push(...accounts.map((account) => async () => (await account.put(path, body)).status));
  const alone: unknown[] = [];
  for (const request of requests) alone.push(await request());

  const sent = watchStatements();
  const shared = (columns = 't.'): number[] =>
    sent.all().flatMap(({ text, values: [owners] }) => {
      const isShared = /FROM unnest\(.* t\.owner_id = k\.owner_id/s.test(text);
      return isShared && text.includes(`SELECT ${columns}`) ? [(owners as unknown[]).length] : [];
    });
  const mayShare = !spread && citusServers().length === 0;
  // Until look-ups of two requests meet, which a busy machine may prevent once
  await until(async () => {
    expect(await Promise.all(requests.map((request) => request()))).toEqual(alone);
    return (shared('t.version').length > 0 && shared('t.owner_id').length > 0) || !mayShare;
  });
  expect(shared().filter((rows) => !mayShare || rows < 2 || rows > 16)).toEqual([]);
});

it('on Citus a write, and a key apart from it, is committed by a statement of its own that a 503 never reaches', async () => {
  const url = await createDatabase();
  await pretendCitus(url, {});
  const service = await startService({ DB_STATEMENT_TIMEOUT: '2s' }, url);
  const owner = await service.account();
  const { id } = await createProperty(owner);
  const sent = watchStatements();
  await createTransaction(owner, id);
  const texts = sent.all().map(({ text }) => text.trim().slice(0, 12));
  expect(texts.slice(texts.indexOf('BEGIN'))).toEqual(['BEGIN', 'INSERT INTO ', 'COMMIT']);

  sent.clear();
  await owner.post('/api/transactions', transactionRequest(id), { 'idempotency-key': 'once' });
  const ofKeys = sent.all().filter(({ text }) => text.includes('idempotency_keys'));
  expect(ofKeys.map(({ text }) => /transactions|WITH/.test(text))).toEqual([false, false]);

  const held = 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE';
  const lock = await Lock.take(service, held, [owner.id]);
  sent.clear();
  expectProblem(await owner.post('/api/transactions', transactionRequest(id)), 'service-unavailable');
  expect(sent.all().map(({ text }) => text)).not.toContain('COMMIT');
  await lock.release();
  expect((await owner.get('/api/transactions')).json).toMatchObject({ totalElements: 2 });
});

it('a database that becomes one of Citus is noticed by the next connection, and its internal errors are 503', async () => {
  const service = await startService({ DB_POOL_SIZE: '1' });
  const owner = await service.account();
  const { id } = await createProperty(owner);
  await service.sql(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE 'SSL SYSCALL error: EOF detected' USING ERRCODE = 'XX000'; END $$;
    CREATE TRIGGER fails BEFORE DELETE ON properties FOR EACH ROW EXECUTE FUNCTION fail()`);
  expectProblem(await owner.delete(`/api/properties/${id}`), 'internal-error');
  await pretendCitus(service.settings.database.url, {});
  await service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'property-finance'`);
  expect((await owner.get('/api/properties')).status).toBe(200);
  expectProblem(await owner.delete(`/api/properties/${id}`), 'service-unavailable');
  const sent = watchStatements();
  await createTransaction(owner, id);
  expect(sent.all().at(-1)!.text).toBe('COMMIT');
});
