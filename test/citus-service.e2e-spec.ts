import { expectProblem } from './support/answers.js';
import { createDatabase } from './support/database.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { pretendCitus } from './support/fake-citus.js';
import { Lock } from './support/locks.js';
import { watchStatements } from './support/sent-statements.js';
import { startService } from './support/service.js';

it('on Citus a write, and a key apart from it, is committed by a statement of its own that a 503 never reaches', async () => {
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
