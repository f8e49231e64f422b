import { Database } from '../src/database/database.js';
import { forgetKeys } from '../src/database/idempotency-keys.js';
import { bodyOf, expectFaults, expectProblem, idsOf, pageOf } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { createProperty, propertyRequest, transactionRequest } from './support/factories.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';

const KEY = { 'idempotency-key': 'a' };
const OTHER_KEY = { 'idempotency-key': 'b' };

let service: Service;
let owner: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  admin = await service.account('ADMIN');
});
beforeEach(async () => void (owner = await service.account()));

const isReplayed = ({ headers }: HttpResponse): boolean => headers.get('idempotent-replayed') === 'true';
const create = (headers: Record<string, string> = KEY): Promise<HttpResponse> =>
  owner.post('/api/properties', propertyRequest(), headers);

/** The parts of a response that are sent again. */
const seenOf = ({ status, text, headers }: HttpResponse): unknown[] => [
  ...[status, text, headers.get('etag'), headers.get('location')],
];

type Row = Record<string, unknown>;
const NDJSON = { 'content-type': 'application/x-ndjson' };

describe.each<
  [path: string, created: number, refused: number, bodyOf: (row: Row) => unknown, headers?: object]
>([
  ['/api/properties', 200, 400, (row) => row],
  ['/api/transactions', 200, 400, (row) => row],
  ['/api/transactions/batch', 201, 400, (row) => ({ transactions: [row] })],
  ['/api/transactions/import', 200, 422, (row) => JSON.stringify(row), NDJSON],
])('POST %s with an Idempotency-Key', (path, created, refused, bodyOf, headers) => {
  const isProperty = path === '/api/properties';
  const list = isProperty ? path : '/api/transactions';
  const text = isProperty ? 'name' : 'description';
  let row: Row;

  const post = (changes: Row = {}): Promise<HttpResponse> =>
    owner.post(path, bodyOf({ ...row, ...changes }), { ...KEY, ...headers });
  const written = async (): Promise<number> => pageOf(await owner.get(list)).totalElements;

  beforeEach(async () => {
    row = isProperty ? propertyRequest() : transactionRequest((await createProperty(owner)).id);
  });

  it('answers the first success again, even after a PUT and a DELETE, and another body 422', async () => {
    expect((await post({ [text]: null })).status).toBe(refused);
    const first = await post();
    expect([first.status, isReplayed(first)]).toEqual([created, false]);
    const target = `${list}/${idsOf(await owner.get(list))[0]}`;
    for (const change of [
      () => owner.put(target, { ...row, [text]: 'Changed' }),
      () => owner.delete(target),
    ]) {
      expect((await change()).status).toBe(200);
      const again = await post();
      expect([isReplayed(again), ...seenOf(again)]).toEqual([true, ...seenOf(first)]);
    }
    expectProblem(await post({ [text]: 'Another' }), 'idempotency-key-reused');
    expect(await written()).toBe(0);
  });

  it('stores the row and its key, or neither, when the connection breaks midway', async () => {
    const counted = `INSERT INTO owner_totals AS o (owner_id) VALUES ($1)
      ON CONFLICT (owner_id) DO UPDATE SET properties = o.properties`;
    const lock = await Lock.take(service, counted, [owner.id]);
    const first = post();
    await lock.waitedForBy(1);
    await service.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect((await first).status).toBe(503);
    await lock.release();
    const second = await post();
    expect([second.status, isReplayed(second), await written()]).toEqual([created, false, 1]);
  });

  it('sent five times at once writes and counts once', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => post()));
    expect(new Set(responses.map((response) => JSON.stringify(seenOf(response)))).size).toBe(1);
    expect(responses.filter((response) => !isReplayed(response))).toMatchObject([{ status: created }]);
    expect(await written()).toBe(1);
    expect(await differencesOf(service)).toEqual([]);
  });
});

it('an import with the key of one with another query or media type answers 422', async () => {
  const columns = 'propertyId,type,category,description,amount,date';
  const send = (type: string, query = ''): Promise<HttpResponse> =>
    owner.post(`/api/transactions/import?${query}`, columns, { ...KEY, 'content-type': type });
  const responses = [await send('text/csv'), await send('Text/CSV; charset=utf-8')];
  expect(responses.map(isReplayed)).toEqual([false, true]);
  for (const response of [await send('text/csv', 'duplicates=allow'), await send(NDJSON['content-type'])])
    expectProblem(response, 'idempotency-key-reused');
});

it('each caller has their own keys, each key its own response, and a request without one is never a repetition', async () => {
  const request = transactionRequest((await createProperty(owner)).id);
  const keyed = [[owner, KEY] as const, [admin, KEY] as const, [owner, OTHER_KEY] as const];
  const responses: HttpResponse[] = [];
  for (const [caller, headers] of [...keyed, [owner, {}] as const, ...keyed])
    responses.push(await caller.post('/api/transactions', request, headers));
  expect(responses.map(isReplayed)).toEqual([false, false, false, false, true, true, true]);
  expect(responses.slice(4).map(seenOf)).toEqual(responses.slice(0, 3).map(seenOf));
  expect(new Set(responses.map(({ text }) => text)).size).toBe(4);
});

it('the key of an ADMIN is one for all owners and paths, and outlives those whose rows it wrote', async () => {
  const ids = [bodyOf(await create())['id'], (await createProperty(await service.account())).id].map(Number);
  const [row, ...others] = [...ids, 0].map((id) => ({ ...propertyRequest(), ...transactionRequest(id) }));
  const send = (body: unknown, path = 'transactions') => admin.post(`/api/${path}`, body, OTHER_KEY);
  const first = await send(row);
  for (const path of [first.headers.get('location')!, `/api/properties/${ids[0]}`, `/api/users/${owner.id}`])
    expect((await admin.delete(path)).status).toBe(200);
  expect(await service.sql('SELECT FROM idempotency_keys WHERE owner_id = $1', [owner.id])).toEqual([]);
  expect(seenOf(await send(row))).toEqual(seenOf(first));
  for (const [body, path] of [[others[0]], [others[1]], [row, 'properties']] as [unknown, string?][])
    expectProblem(await send(body, path), 'idempotency-key-reused');
});

describe('the Idempotency-Key', () => {
  const LONG = 'x'.repeat(255);

  const VALID = ['a', '"a"', '"a b"', `"${LONG}"`, LONG, String.raw`"\"\\"`, '!#$%&()*+-./:;<=>?@[]^_`{|}~'];
  it.each(VALID)('%s is taken, and is the same with and without quotes', async (key) => {
    await create();
    const again = await create({ 'idempotency-key': key });
    expect([again.status, isReplayed(again)]).toEqual([200, /^"?a"?$/.test(key)]);
  });

  const INVALID = ['', ' ', '""', 'a b', '"a', 'a"', '"a\\b"', `${LONG}x`, 'ü', '"a", "b"', 'a, b'];
  it.each(INVALID)('%j answers 400 and nothing is written, and a search ignores it', async (key) => {
    const faults = expectFaults(await create({ 'idempotency-key': key }), 'Idempotency-Key');
    expect(faults['Idempotency-Key']).toMatch('no space, comma or quote');
    expect((await owner.post('/api/transactions/search', {}, { 'idempotency-key': key })).status).toBe(200);
    expect(pageOf(await owner.get('/api/properties')).totalElements).toBe(0);
  });

  it('is forgotten after 24 hours, however many days nobody has cleaned', async () => {
    await service.sql(
      `INSERT INTO idempotency_keys (owner_id, caller_id, key, fingerprint, resource_id, version, answer, created_at)
       SELECT $1, $1, n::text, '\\x', 1, 1, '{}', now() - make_interval(hours => 20 + n, secs => CASE n WHEN 3 THEN 3550 ELSE 0 END)
         FROM generate_series(1, 100) n`,
      [owner.id],
    );
    while (await forgetKeys(service.app.get(Database)));
    const left = 'SELECT key FROM idempotency_keys WHERE owner_id = $1 ORDER BY key';
    expect(await service.sql(left, [owner.id])).toEqual([{ key: '1' }, { key: '2' }, { key: '3' }]);
  });
});
