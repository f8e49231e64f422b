import { expectProblem } from './support/answers.js';
import { citusServers } from './support/citus.js';
import { rowsOf } from './support/connect.js';
import { createDatabase } from './support/database.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { pretendCitus } from './support/fake-citus.js';
import { Lock } from './support/locks.js';
import { watchStatements } from './support/sent-statements.js';
import { startService } from './support/service.js';

/** Makes the look-up of several rows fail as on distributed tables, and ends the sessions that know the old catalogue. */
const DISTRIBUTED_MEANWHILE = `
  CREATE FUNCTION public.cardinality(anyarray) RETURNS integer LANGUAGE plpgsql AS
    $$ BEGIN RAISE feature_not_supported; END $$;
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
   WHERE datname = current_database() AND pid <> pg_backend_pid()`;

const ofOneServer = citusServers().length === 0 ? it : it.skip;

describe('the service on Citus', () => {
  ofOneServer('answers reads at once after the tables were distributed under it', async () => {
    const url = await createDatabase();
    const service = await startService({}, url);
    const owner = await service.account();
    const ids = [(await createProperty(owner)).id, (await createProperty(owner)).id];
    const read = async (): Promise<number[]> =>
      Promise.all([...ids, ...ids].map(async (id) => (await owner.get(`/api/properties/${id}`)).status));
    expect(await read()).toEqual([200, 200, 200, 200]);
    await pretendCitus(url, {});
    await rowsOf(url, DISTRIBUTED_MEANWHILE);
    expect(await read()).toEqual([200, 200, 200, 200]);
    const sent = watchStatements();
    expect(await read()).toEqual([200, 200, 200, 200]);
    expect(sent.all().filter(({ text }) => text.includes('cardinality'))).toEqual([]);
  });

  it('commits a write, and a key apart from it, by a statement of its own that a 503 never reaches', async () => {
    const url = await createDatabase();
    await pretendCitus(url, {});
    const service = await startService({ DB_STATEMENT_TIMEOUT: '1s' }, url);
    const owner = await service.account();
    const { id } = await createProperty(owner);
    const sent = watchStatements();
    await createTransaction(owner, id);
    const texts = sent.all().map(({ text }) => text.trim().slice(0, 12));
    expect(texts.slice(texts.indexOf('BEGIN'))).toEqual(['BEGIN', 'WITH written', 'COMMIT']);

    sent.clear();
    await owner.post('/api/transactions', transactionRequest(id), { 'idempotency-key': 'once' });
    const ofKeys = sent.all().filter(({ text }) => text.includes('idempotency_keys'));
    expect(ofKeys.map(({ text }) => /transactions|WITH/.test(text))).toEqual([false, false]);

    const held = 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE';
    const lock = await Lock.take(service, held, [owner.id]);
    sent.clear();
    expectProblem(await owner.post('/api/transactions', transactionRequest(id)), 503, 'service-unavailable');
    expect(sent.all().map(({ text }) => text)).not.toContain('COMMIT');
    await lock.release();
    expect((await owner.get('/api/transactions')).json).toMatchObject({ totalElements: 2 });
  });
});
