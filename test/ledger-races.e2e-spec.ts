import { outcomeOf } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';

type Send = () => Promise<HttpResponse>;

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
async function overlapping(rows: string, values: unknown[], ...requests: Send[]): Promise<HttpResponse[]> {
  const lock = await Lock.take(service, `SELECT FROM ${rows} FOR UPDATE`, values);
  const responses: Promise<HttpResponse>[] = [];
  try {
    for (const send of requests) {
      responses.push(send());
      await lock.waitedForBy(responses.length);
    }
  } finally {
    await lock.release();
  }
  return Promise.all(responses);
}

type Table = 'properties' | 'transactions';

const bodyOf = (table: Table, text: string): object =>
  table === 'properties' ? propertyRequest({ name: text }) : transactionRequest(home, { description: text });

describe('two requests that have read the same row', () => {
  const AWAY = 'PUT to another owner';
  const SENDS: Record<string, (path: string, table: Table) => Promise<HttpResponse>> = {
    PUT: (path, table) => owner.put(path, bodyOf(table, 'first')),
    'another PUT': (path, table) => owner.put(path, bodyOf(table, 'second')),
    'PUT with If-Match': (path, table) => owner.put(path, bodyOf(table, 'first'), CURRENT),
    'PUT of an ADMIN with If-Match': (path, table) => admin.put(path, bodyOf(table, 'second'), CURRENT),
    'PUT to another property': (path) => owner.put(path, transactionRequest(near)),
    [AWAY]: (path) => admin.put(path, transactionRequest(far)),
    DELETE: (path) => owner.delete(path),
    'DELETE with If-Match': (path) => owner.delete(path, CURRENT),
    'DELETE of an ADMIN with If-Match': (path) => admin.delete(path, CURRENT),
  };

  it.each<[Table, first: string, second: string, outcome: string]>([
    ...(['properties', 'transactions'] as const).flatMap((table): [Table, string, string, string][] => [
      [table, 'PUT', 'another PUT', CONFLICT],
      [table, 'PUT with If-Match', 'PUT of an ADMIN with If-Match', CONFLICT],
      [table, 'PUT', 'DELETE', '200'],
      [table, 'PUT', 'DELETE with If-Match', CONFLICT], // it was meant for what the PUT has replaced
      [table, 'DELETE', 'PUT', MISSING],
      [table, 'DELETE with If-Match', 'DELETE', MISSING],
    ]),
    ['transactions', AWAY, AWAY, CONFLICT],
    ['transactions', 'PUT to another property', AWAY, CONFLICT],
    ['transactions', AWAY, 'PUT to another property', MISSING],
    ['transactions', AWAY, 'DELETE of an ADMIN with If-Match', CONFLICT],
  ])('of %s: %s answers 200, then %s %s', async (table, first, second, outcome) => {
    const { id } = await (table === 'properties' ? createProperty(owner) : createTransaction(owner, home));
    const path = `/api/${table}/${id}`;
    const sends = [first, second].map((name) => () => SENDS[name]!(path, table));
    const responses = await overlapping(`${table} WHERE owner_id = $1 AND id = $2`, [owner.id, id], ...sends);
    expect(responses.map(outcomeOf)).toEqual(['200', outcome]);
    const read = await admin.get(path);
    if (outcome !== CONFLICT && first !== AWAY) expect(outcomeOf(read)).toBe(MISSING);
    else expect([read.json, read.headers.get('etag')]).toEqual([responses[0]!.json, '"2"']);
  });
});

describe('DELETE /api/properties/:id', () => {
  const SENDS: Record<string, (id: number, transactionId: number) => Promise<HttpResponse>> = {
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
    const responses = await overlapping('owner_totals WHERE owner_id = $1', [owner.id], ...sends);
    expect(responses.map(outcomeOf)).toEqual(['200', outcome]);
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
    const response = admin.send(method, `/api/transactions/${id}`, { headers, ...body });
    await before.waitedForBy(1);
    const moving = Lock.take(service, `${ALONE}; ${move}`, []); // the next in the queue, after the first look at the row
    await before.waitedForBy(2);
    await before.release();
    const moved = await moving;
    await (looksAgain ? moved.waitedForBy(1) : response).finally(() => moved.release());
    expect(outcomeOf(await response)).toBe(outcome);
  });
});
