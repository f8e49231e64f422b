import { Shares } from '../src/database/shares.js';
import { citusServers } from './support/citus.js';
import type { HttpResponse } from './support/client.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { Lock, waitingForLocks } from './support/locks.js';
import { bodyOf, outcomeOf } from './support/responses.js';
import { watchStatements } from './support/sent-statements.js';
import { type Account, type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';
import { until } from './support/until.js';

type Send = () => Promise<HttpResponse>;

/** Owners on several servers are written one by one. */
const itInGroups = citusServers().length === 0 ? it : it.skip;

let service: Service;
let owners: Account[];
let [first, second, third]: Account[] = [];
const homes = new Map<Account, number>();

beforeAll(async () => {
  service = await startService({ DB_POOL_SHARE: '10' });
  owners = [await service.account(), await service.account(), await service.account()];
  [first, second, third] = owners;
  for (const owner of owners) homes.set(owner, (await createProperty(owner)).id);
});
afterEach(async () => expect(await differencesOf(service)).toEqual([]));

const requestOf = (owner: Account, fields: object = {}) =>
  transactionRequest(homes.get(owner)!, { ...fields });
const create = (owner: Account, fields?: object) => () =>
  owner.post('/api/transactions', requestOf(owner, fields));
const put = (owner: Account, id: number, fields?: object, headers?: Record<string, string>) => () =>
  owner.put(`/api/transactions/${id}`, requestOf(owner, fields), headers);

/** Has the writes wait until all have come, as behind a batch of their account, so that they go on in one moment. */
async function together(...sends: Send[]): Promise<Promise<HttpResponse>[]> {
  const { bulkWrites } = service.app.get(Shares);
  const places = await Promise.all(owners.map((owner) => bulkWrites.take(owner)));
  const responses = sends.map((send) => send());
  await until(() => bulkWrites.depth === places.length + sends.length);
  for (const release of places) release();
  return responses;
}

/** How many rows each statement was to write that several requests have shared. */
function watchGroups(): () => number[] {
  const sent = watchStatements();
  sent.clear();
  const shared = () => sent.all().filter(({ text }) => text.includes('SKIP LOCKED'));
  return () => shared().map(({ values }) => (JSON.parse(values[0] as string) as unknown[]).length);
}

const outcomesOf = async (responses: Promise<HttpResponse>[]) =>
  (await Promise.all(responses)).map(outcomeOf);

itInGroups('creates of one moment are one statement, and each gets its own row', async () => {
  const groups = watchGroups();
  const texts = ['"one\\', '\nzwei', '三 🏠'];
  const sends = texts.map((description, index) =>
    create(owners[index]!, { description, tags: [description] }),
  );
  const responses = await Promise.all(await together(...sends));
  expect(groups()).toEqual([3]);
  for (const [index, { json, text, headers }] of responses.entries()) {
    const row = json as { id: number };
    expect(row).toMatchObject({
      description: texts[index],
      tags: [texts[index]],
      propertyName: 'Seaside Cottage',
    });
    const read = await owners[index]!.get(`/api/transactions/${row.id}`);
    expect([read.text, read.headers.get('etag')]).toEqual([text, headers.get('etag')]);
  }
});

itInGroups('updates of one moment are one statement, with the outcome of each alone', async () => {
  const rows = await Promise.all(
    [first!, second!, third!, first!, second!].map((owner) => createTransaction(owner, homes.get(owner)!)),
  );
  const ids = rows.map(({ id }) => id);
  const { id: away } = await createProperty(third!);
  const groups = watchGroups();
  const current = { 'if-match': '"1"' };
  const responses = await Promise.all(
    await together(
      put(first!, ids[0]!, { description: 'here' }, current),
      put(second!, ids[1]!, { propertyId: away }, current),
      put(third!, ids[2]!, { propertyId: away, metadata: { b: '1', a: '2' } }, current),
      put(first!, ids[3]!, {}, { 'if-match': '"2"' }),
      put(third!, ids[4]!, {}, current),
    ),
  );
  expect(groups()).toEqual([5]);
  expect(responses.map(outcomeOf)).toEqual([
    '200',
    '404 not-found',
    '200',
    '409 concurrent-modification',
    '404 not-found',
  ]);
  const read = await Promise.all(
    [first!, third!].map((owner, index) => owner.get(`/api/transactions/${ids[index * 2]}`)),
  );
  expect(read.map(({ text }) => text)).toEqual([responses[0]!.text, responses[2]!.text]);
  expect(read.map(bodyOf)).toMatchObject([{ description: 'here' }, { propertyId: away }]);
});

itInGroups('of two updates of one row in one statement one is 409', async () => {
  const { id } = await createTransaction(first!, homes.get(first!)!);
  const groups = watchGroups();
  const responses = await Promise.all(
    await together(...['one', 'other'].map((description) => put(first!, id, { description }))),
  );
  expect(groups()).toEqual([2]);
  const [written] = responses.filter(({ status }) => status === 200);
  expect(responses.map(outcomeOf).sort()).toEqual(['200', '409 concurrent-modification']);
  expect((await first!.get(`/api/transactions/${id}`)).text).toBe(written?.text);
});

it('a create for a property that is missing or another’s is 404, and those beside it are stored', async () => {
  const others = homes.get(second!);
  const sends = [
    create(first!),
    create(first!, { propertyId: others }),
    create(second!, { propertyId: 0 }),
    create(third!),
  ];
  expect(await outcomesOf(await together(...sends))).toEqual([
    '200',
    '404 not-found',
    '404 not-found',
    '200',
  ]);
});

it.each([
  ['an owner’s totals are', 'owner_totals WHERE owner_id = $1'],
  ['a property is', 'properties WHERE owner_id = $1'],
])('while %s held by another transaction, its creates wait and no others', async (_what, rows) => {
  const lock = await Lock.take(service, `SELECT FROM ${rows} FOR UPDATE`, [second!.id]);
  const [one, waiting, three] = await together(create(first!), create(second!), create(third!));
  expect(await outcomesOf([one!, three!])).toEqual(['200', '200']);
  await lock.waitedForBy(1);
  await lock.release();
  expect(outcomeOf(await waiting!)).toBe('200');
});

it('while a row is held by another transaction, its update waits and no others', async () => {
  const rows = await Promise.all(owners.map((owner) => createTransaction(owner, homes.get(owner)!)));
  const lock = await Lock.take(
    service,
    'SELECT FROM transactions WHERE owner_id = $1 AND id = $2 FOR UPDATE',
    [second!.id, rows[1]!.id],
  );
  const [one, waiting, three] = await together(...owners.map((owner, index) => put(owner, rows[index]!.id)));
  expect(await outcomesOf([one!, three!])).toEqual(['200', '200']);
  await lock.waitedForBy(1);
  await lock.release();
  expect(outcomeOf(await waiting!)).toBe('200');
});

itInGroups(
  'creates of one owner that come during another wait without a connection, then go on together',
  async () => {
    const lock = await Lock.take(service, 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE', [
      first!.id,
    ]);
    const before = create(first!)();
    await lock.waitedForBy(1);
    const groups = watchGroups();
    const after = await together(create(first!), create(first!), create(first!));
    expect(await waitingForLocks(service)).toBe(1);
    expect(await outcomesOf(await together(create(second!)))).toEqual(['200']);
    await lock.release();
    expect(await outcomesOf([before, ...after])).toEqual(['200', '200', '200', '200']);
    expect(groups()).toEqual([3]);
  },
);

it('creates of an owner whose totals are held for long wait for them, not for one another', async () => {
  const lock = await Lock.take(service, 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE', [
    first!.id,
  ]);
  const before = create(first!)();
  await lock.waitedForBy(1);
  const after = await together(create(first!), create(first!, { notes: 'long '.repeat(2000) }));
  await lock.waitedForBy(3);
  await lock.release();
  expect(await outcomesOf([before, ...after])).toEqual(['200', '200', '200']);
});

itInGroups('a row that PostgreSQL refuses fails by itself, and a long one is written by itself', async () => {
  const [full, other] = [
    await createTransaction(first!, homes.get(first!)!),
    await createTransaction(second!, homes.get(second!)!),
  ];
  await service.sql('UPDATE transactions SET version = 2147483647 WHERE owner_id = $1 AND id = $2', [
    first!.id,
    full.id,
  ]);
  const groups = watchGroups();
  const sends = [
    put(first!, full.id),
    put(second!, other.id),
    create(third!, { notes: 'long '.repeat(2000) }),
    create(second!),
    create(first!),
  ];
  expect(await outcomesOf(await together(...sends))).toEqual([
    '500 internal-error',
    '200',
    '200',
    '200',
    '200',
  ]);
  expect(groups().sort()).toEqual([2, 2]);
});

it('of creates whose connection breaks each is 503, and none is stored', async () => {
  const count = async () => service.sql<{ rows: number }>('SELECT count(*)::int AS rows FROM transactions');
  const before = await count();
  const lock = await Lock.take(service, 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE', []);
  const responses = await together(...owners.map((owner) => create(owner)));
  await lock.waitedForBy(1);
  await service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  expect(new Set(await outcomesOf(responses))).toEqual(new Set(['503 service-unavailable']));
  await lock.release();
  expect(await count()).toEqual(before);
});
