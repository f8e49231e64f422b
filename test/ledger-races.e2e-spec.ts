import { outcomeOf } from './support/answers.js';
import type { Answer } from './support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';

type Send = () => Promise<Answer>;

const CONFLICT = '409 concurrent-modification';
const IN_USE = '409 resource-in-use';
const MISSING = '404 not-found';
const CURRENT = { 'if-match': '"1"' };

let service: Service;
let owner: Account;
let other: Account;
let admin: Account;
let [home, near, far] = [0, 0, 0];

beforeAll(async () => {
  service = await startService({ DB_POOL_SHARE: '10' });
  [owner, other, admin] = await Promise.all([service.account(), service.account(), service.account('ADMIN')]);
  [home, near] = [(await createProperty(owner)).id, (await createProperty(owner)).id];
  far = (await createProperty(other)).id;
});

/** Sends the requests in turn while a transaction past the service holds the row: each has read it before one writes. */
async function overlapping(rows: string, values: unknown[], ...requests: Send[]): Promise<Answer[]> {
  const lock = await Lock.take(service, `SELECT FROM ${rows} FOR UPDATE`, values);
  const answers: Promise<Answer>[] = [];
  try {
    for (const send of requests) {
      answers.push(send());
      await lock.waitedForBy(answers.length);
    }
  } finally {
    await lock.release();
  }
  return Promise.all(answers);
}

describe.each([
  {
    table: 'properties',
    create: () => createProperty(owner),
    body: (name: string) => propertyRequest({ name }),
  },
  {
    table: 'transactions',
    create: () => createTransaction(owner, home),
    body: (description: string) => transactionRequest(home, { description }),
  },
])('two requests that have read the same row of $table', ({ table, create, body }) => {
  const SENDS: Record<string, (path: string) => Promise<Answer>> = {
    PUT: (path) => owner.put(path, body('first')),
    'another PUT': (path) => owner.put(path, body('second')),
    'PUT with If-Match': (path) => owner.put(path, body('first'), CURRENT),
    'PUT of an ADMIN with If-Match': (path) => admin.put(path, body('second'), CURRENT),
    DELETE: (path) => owner.delete(path),
    'DELETE with If-Match': (path) => owner.delete(path, CURRENT),
  };

  it.each([
    ['PUT', 'another PUT', CONFLICT],
    ['PUT with If-Match', 'PUT of an ADMIN with If-Match', CONFLICT],
    ['PUT', 'DELETE', '200'],
    ['PUT', 'DELETE with If-Match', CONFLICT], // it was meant for what the PUT has replaced
    ['DELETE', 'PUT', MISSING],
    ['DELETE with If-Match', 'DELETE', MISSING],
  ])('%s answers 200, then %s %s', async (first, second, outcome) => {
    const { id } = await create();
    const path = `/api/${table}/${id}`;
    const sends = [first, second].map((name) => () => SENDS[name]!(path));
    const answers = await overlapping(`${table} WHERE owner_id = $1 AND id = $2`, [owner.id, id], ...sends);
    expect(answers.map(outcomeOf)).toEqual(['200', outcome]);
    const read = await owner.get(path);
    if (outcome !== CONFLICT) expect(outcomeOf(read)).toBe(MISSING);
    else expect([read.json, read.headers.get('etag')]).toEqual([answers[0]!.json, '"2"']);
  });
});

describe('DELETE /api/properties/:id', () => {
  const SENDS: Record<string, (id: number, transactionId: number) => Promise<Answer>> = {
    'the DELETE': (id) => owner.delete(`/api/properties/${id}`),
    'a POST of a transaction': (id) => owner.post('/api/transactions', transactionRequest(id)),
    'a PUT that moves one to it': (id, moved) =>
      owner.put(`/api/transactions/${moved}`, transactionRequest(id)),
  };

  it.each([
    ['a POST of a transaction', 'the DELETE', IN_USE],
    ['a PUT that moves one to it', 'the DELETE', IN_USE],
    ['the DELETE', 'a POST of a transaction', MISSING],
    ['the DELETE', 'a PUT that moves one to it', MISSING],
  ])('%s answers 200, and %s under way meanwhile %s', async (first, second, outcome) => {
    const { id } = await createProperty(owner);
    const { id: moved } = await createTransaction(owner, home);
    const sends = [first, second].map((name) => () => SENDS[name]!(id, moved));
    // Each holds the property's key until the owner's total is free.
    const answers = await overlapping('owner_totals WHERE owner_id = $1', [owner.id], ...sends);
    expect(answers.map(outcomeOf)).toEqual(['200', outcome]);
  });
});

describe('a transaction that two requests move at once', () => {
  const AWAY = 'an ADMIN to another owner';
  const SENDS: Record<string, (path: string) => Promise<Answer>> = {
    [AWAY]: (path) => admin.put(path, transactionRequest(far)),
    'its owner': (path) => owner.put(path, transactionRequest(near)),
    'an ADMIN who deletes it': (path) => admin.delete(path, CURRENT),
  };

  it.each([
    [AWAY, AWAY, CONFLICT],
    ['its owner', AWAY, CONFLICT],
    [AWAY, 'its owner', MISSING],
    [AWAY, 'an ADMIN who deletes it', CONFLICT],
  ])('goes where the first takes it: %s, then %s, who gets %s', async (first, second, outcome) => {
    const { id } = await createTransaction(owner, home);
    const path = `/api/transactions/${id}`;
    const sends = [first, second].map((name) => () => SENDS[name]!(path));
    const answers = await overlapping(
      'transactions WHERE owner_id = $1 AND id = $2',
      [owner.id, id],
      ...sends,
    );
    expect(answers.map(outcomeOf)).toEqual(['200', outcome]);
    const read = await admin.get(path);
    expect([read.json, read.headers.get('etag')]).toEqual([answers[0]!.json, '"2"']);
  });
});

describe("an ADMIN's request for a transaction that moves to another owner meanwhile", () => {
  const ALONE = 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE';

  it.each([
    { method: 'GET', looksAgain: false, outcome: '200' },
    { method: 'PUT', looksAgain: true, outcome: CONFLICT },
    { method: 'DELETE', headers: CURRENT, looksAgain: true, outcome: CONFLICT },
  ])('$method answers $outcome and never 404', async ({ method, headers = {}, looksAgain, outcome }) => {
    const { id } = await createTransaction(owner, home);
    const move = `UPDATE transactions SET owner_id = ${other.id}, property_id = ${far}, version = 2 WHERE id = ${id}`;
    const body = method === 'PUT' ? { body: transactionRequest(far) } : {};
    const before = await Lock.take(service, ALONE, []);
    const answer = admin.send(method, `/api/transactions/${id}`, { headers, ...body });
    await before.waitedForBy(1);
    const moving = Lock.take(service, `${ALONE}; ${move}`, []); // the next in the queue, after the first look at the row
    await before.waitedForBy(2);
    await before.release();
    const moved = await moving;
    await (looksAgain ? moved.waitedForBy(1) : answer).finally(() => moved.release());
    expect(outcomeOf(await answer)).toBe(outcome);
  });
});
