import { randomUUID } from 'node:crypto';
import { IdempotencyKeyCleaner } from '../src/database/idempotency-keys.js';
import { bodyOf, expectFaults, expectProblem, pageOf } from './support/answers.js';
import { type Answer, Client } from './support/client.js';
import { createProperty, propertyRequest, transactionRequest } from './support/factories.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';

let service: Service;
let owner: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  admin = await service.account('ADMIN');
});
beforeEach(async () => {
  owner = await service.account();
});

const withKey = (key: string = randomUUID()): Record<string, string> => ({ 'idempotency-key': key });
const isReplayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true';
const countOf = async (path: string): Promise<number> => pageOf(await owner.get(path)).totalElements;

/** All that a client sees of an answer that is given again. */
const seenOf = ({ status, text, headers }: Answer): unknown => ({
  status,
  text,
  etag: headers.get('etag'),
  location: headers.get('location'),
});

describe.each([
  {
    path: '/api/properties',
    requestIn: async () => Promise.resolve(propertyRequest()),
    text: 'name',
  },
  {
    path: '/api/transactions',
    requestIn: async () => transactionRequest((await createProperty(owner)).id),
    text: 'description',
  },
])('POST $path with an Idempotency-Key', ({ path, requestIn, text }) => {
  let request: Record<string, unknown>;

  beforeEach(async () => {
    request = await requestIn();
  });

  const existing = async (): Promise<number> => countOf(path);

  it('sent again with the same body answers the first response and writes once', async () => {
    const before = await existing();
    const first = await owner.post(path, request, withKey('a'));
    const second = await owner.post(path, request, withKey('a'));
    expect([first.status, isReplayed(first), isReplayed(second)]).toEqual([200, false, true]);
    expect(seenOf(second)).toEqual(seenOf(first));
    expect(await existing()).toBe(before + 1);
  });

  it('sent again answers the first response even when the row was changed or deleted', async () => {
    const first = await owner.post(path, request, withKey('a'));
    const target = first.headers.get('location')!;
    await owner.put(target, { ...request, [text]: 'Changed' });
    expect(seenOf(await owner.post(path, request, withKey('a')))).toEqual(seenOf(first));
    await owner.delete(target);
    expect(seenOf(await owner.post(path, request, withKey('a')))).toEqual(seenOf(first));
    expect((await owner.get(target)).status).toBe(404);
  });

  it('sent again with another body answers 422 and writes nothing', async () => {
    await owner.post(path, request, withKey('a'));
    const before = await existing();
    const other = await owner.post(path, { ...request, [text]: 'Another' }, withKey('a'));
    expectProblem(other, 422, 'idempotency-key-reused');
    expect(await existing()).toBe(before);
  });

  it('writes again with another key or without one', async () => {
    const before = await existing();
    for (const headers of [withKey('a'), withKey('b'), {}, {}]) await owner.post(path, request, headers);
    expect(await existing()).toBe(before + 4);
  });

  it('stores the row and its key, or neither, when the database goes away midway', async () => {
    const before = await existing();
    const lock = await Lock.take(service, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [owner.id]);
    const first = owner.post(path, request, withKey('a'));
    await lock.waitedForBy(1);
    await service.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect((await first).status).toBe(503);
    await lock.release();
    const second = await owner.post(path, request, withKey('a'));
    expect([second.status, isReplayed(second), await existing()]).toEqual([200, false, before + 1]);
  });

  it('answers 200 to a corrected request with the key of a refused one', async () => {
    const faulty = { ...request, [text]: null };
    expectFaults(await owner.post(path, faulty, withKey('a')), text);
    const corrected = await owner.post(path, request, withKey('a'));
    expect([corrected.status, isReplayed(corrected)]).toEqual([200, false]);
  });

  it('writes for each of two accounts with the same key', async () => {
    const other = await service.account();
    const theirs =
      path === '/api/properties' ? request : transactionRequest((await createProperty(other)).id);
    await owner.post(path, request, withKey('a'));
    expect(isReplayed(await other.post(path, theirs, withKey('a')))).toBe(false);
  });

  it('sent twenty times at once writes once', async () => {
    const before = await existing();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => owner.post(path, request, withKey('a'))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ text: body }) => body)).size).toBe(1);
    expect(answers.filter((answer) => !isReplayed(answer))).toHaveLength(1);
    expect(await existing()).toBe(before + 1);
    await expectTotals();
  });
});

/** A write that is undone because its key is taken must not count. */
async function expectTotals(): Promise<void> {
  const [row] = await service.sql(
    `SELECT o.properties = (SELECT count(*) FROM properties p WHERE p.owner_id = o.owner_id)
        AND o.transactions = (SELECT count(*) FROM transactions t WHERE t.owner_id = o.owner_id) AS right
       FROM owner_totals o WHERE o.owner_id = $1`,
    [owner.id],
  );
  expect(row).toEqual({ right: true });
}

it('one key answers 422 on another path, on every instance', async () => {
  const { id } = await createProperty(owner);
  const request = { ...propertyRequest(), ...transactionRequest(id) }; // a body for either
  const first = await owner.post('/api/properties', request, withKey('a'));
  const instance = await startService({}, service.settings.database.url);
  const again = new Client(instance.url, owner.token);
  expect(seenOf(await again.post('/api/properties', request, withKey('a')))).toEqual(seenOf(first));
  const other = await again.post('/api/transactions', request, withKey('a'));
  expectProblem(other, 422, 'idempotency-key-reused');
});

it('an ADMIN who records for an owner does not share the keys of the owner', async () => {
  const request = transactionRequest((await createProperty(owner)).id);
  const first = await owner.post('/api/transactions', request, withKey('a'));
  const [second, third] = [
    await admin.post('/api/transactions', request, withKey('a')),
    await admin.post('/api/transactions', request, withKey('a')),
  ];
  expect([isReplayed(second), isReplayed(third)]).toEqual([false, true]);
  expect(bodyOf(second)['id']).not.toBe(bodyOf(first)['id']);
  expect(third.text).toBe(second.text);
});

it('another owner’s property answers 404 with a key, and the key may be sent again', async () => {
  const request = transactionRequest((await createProperty(await service.account())).id);
  for (let time = 0; time < 2; time += 1)
    expectProblem(await owner.post('/api/transactions', request, withKey('a')), 404, 'not-found');
});

describe('the Idempotency-Key', () => {
  it.each([
    'a',
    '"a b"',
    `"${'x'.repeat(255)}"`,
    'x'.repeat(255),
    String.raw`"\"\\"`,
    '!#$%&()*+-./:;<=>?@[]^_`{|}~',
  ])('%s is taken', async (key) => {
    const answer = await owner.post('/api/properties', propertyRequest(), withKey(key));
    expect(answer.status).toBe(200);
  });

  it.each(['', ' ', '""', 'a b', '"a', 'a"', '"a\\b"', 'x'.repeat(256), 'ü', '"a", "b"', 'a, b'])(
    '%j is refused by name',
    async (key) => {
      const answer = await owner.post('/api/properties', propertyRequest(), withKey(key));
      expectFaults(answer, 'Idempotency-Key');
      expect(await countOf('/api/properties')).toBe(0);
    },
  );

  it('is the same with and without quotes', async () => {
    await owner.post('/api/properties', propertyRequest(), withKey('a'));
    expect(isReplayed(await owner.post('/api/properties', propertyRequest(), withKey('"a"')))).toBe(true);
  });

  it('is ignored where nothing is created', async () => {
    const search = await owner.post('/api/transactions/search', {}, withKey('not even one'));
    expect([search.status, isReplayed(search)]).toEqual([200, false]);
  });
});

describe('after a day', () => {
  const age = async (hours: number): Promise<void> => {
    await service.sql(
      `UPDATE idempotency_keys SET created_at = now() - make_interval(hours => $2) WHERE owner_id = $1`,
      [owner.id, hours],
    );
  };

  it.each([
    { hours: 25, kept: false },
    { hours: 23, kept: true },
  ])('a key of $hours hours is kept: $kept', async ({ hours, kept }) => {
    await owner.post('/api/properties', propertyRequest(), withKey('a'));
    await age(hours);
    await service.app.get(IdempotencyKeyCleaner).clean();
    expect(isReplayed(await owner.post('/api/properties', propertyRequest(), withKey('a')))).toBe(kept);
  });

  it('keys of many days are deleted minute by minute', async () => {
    await service.sql(
      `INSERT INTO idempotency_keys (owner_id, caller_id, key, fingerprint, resource_id, version, answer, created_at)
       SELECT $1, $1, n::text, '\\x', 1, 1, '{}', now() - make_interval(hours => 20 + n) FROM generate_series(1, 100) n`,
      [owner.id],
    );
    await service.app.get(IdempotencyKeyCleaner).clean();
    const left = await service.sql('SELECT key FROM idempotency_keys WHERE owner_id = $1 ORDER BY key', [
      owner.id,
    ]);
    expect(left.map(({ key }) => key as string)).toEqual(['1', '2', '3']);
  });
});

it('the keys of an account are deleted with it', async () => {
  await owner.post('/api/properties', propertyRequest(), withKey('a'));
  const [{ id }] = pageOf<{ id: number }>(await owner.get('/api/properties')).content as [{ id: number }];
  await owner.delete(`/api/properties/${id}`);
  expect((await admin.delete(`/api/users/${owner.id}`)).status).toBe(200);
  expect(await service.sql('SELECT key FROM idempotency_keys WHERE owner_id = $1', [owner.id])).toEqual([]);
});
