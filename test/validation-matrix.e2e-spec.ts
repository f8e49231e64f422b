import type { OperationObject } from '@nestjs/swagger';
import { operationOf, OPERATIONS } from './support/api-document.js';
import { bodyOf, digitsOf, expectFaults, expectProblem } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { type Body, type Fields, PROPERTY, SEARCH, SIGN_UP, TRANSACTION } from './support/body-fields.js';
import { rawJson } from './support/raw-json.js';
import { type Account, type Service, startService } from './support/service.js';
import { signUpRequest } from './support/sign-up.js';

/** A value of each field that has so many. */
interface Round {
  /** For the test's name: each field with the beginning of its value. */
  readonly shown: string;
  /** By field, for the body. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [field: string, token: string, about: readonly string[]])[];
}

/** The first value of every field in one request, the second of every field in another, and so on. */
function roundsOf(outcome: 'accepted' | 'refused', fields: Fields): Round[] {
  const lists = Object.entries(fields).map(([field, kind]) => [field, kind[outcome]] as const);
  return Array.from({ length: Math.max(...lists.map(([, list]) => list.length)) }, (_, index) => {
    const values = lists.flatMap(([field, list]) =>
      list.slice(index, index + 1).map(([token, ...about]) => [field, token, about] as const),
    );
    const shown = values.map(([field, token]) => `${field}=${token.slice(0, 20)}`).join(', ');
    const tokens = Object.fromEntries(values.map(([field, token]) => [field, token]));
    return { shown, tokens, values };
  });
}

const nullsFor = (names: readonly string[]): Record<string, null> =>
  Object.fromEntries(names.map((name) => [name, null]));

/** Every value is refused, with what its message must name, and nothing else is. */
function expectRefusal(response: HttpResponse, fields: Fields, { values }: Round): void {
  const faults = values.flatMap(([field, , below]) =>
    (below.length === 0 ? [''] : below).map((path) => [field + path, fields[field]!.names ?? []] as const),
  );
  const errors = expectFaults(response, ...faults.map(([path]) => path));
  for (const [path, names] of faults) for (const name of names) expect(errors[path]).toContain(name);
}

/** Numbers digit for digit; all else by value, for JSON may be spaced and ordered in many ways. */
function expectEcho(response: HttpResponse, { values }: Round): void {
  for (const [field, token, [echo = token]] of values.filter(([name]) => name !== 'password'))
    if (/^-?\d/.test(echo)) expect([field, digitsOf(response, field)]).toEqual([field, echo]);
    else expect([field, bodyOf(response)[field]]).toEqual([field, JSON.parse(echo)]);
}

let service: Service;
let owner: Account;
let admin: Account;
let propertyId: number;
let transactionId: number;

beforeAll(async () => {
  service = await startService();
  [owner, admin] = [await service.account(), await service.account('ADMIN')];
  propertyId = (await createProperty(owner)).id;
  transactionId = (await createTransaction(owner, propertyId)).id;
});

const stored = (): Promise<unknown> => {
  const tables = ['users', 'properties', 'transactions'].map(
    (table) => `SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${table} t`,
  );
  return service.sql(tables.join(' UNION ALL '));
};

const aTransaction = (): object => transactionRequest(propertyId);

describe.each<[line: string, Body, valid: () => object]>([
  ['POST /api/properties', PROPERTY, propertyRequest],
  ['PUT /api/properties/:property', PROPERTY, propertyRequest],
  ['POST /api/transactions', TRANSACTION, aTransaction],
  ['PUT /api/transactions/:transaction', TRANSACTION, aTransaction],
  ['POST /api/transactions/search', SEARCH, () => ({})],
  ['POST /api/auth/signup', SIGN_UP, signUpRequest],
])('%s', (line, { fields, required, optional }, valid) => {
  const [method, path] = line.split(' ') as [string, string];
  const target = (): string =>
    path.replace(':property', String(propertyId)).replace(':transaction', String(transactionId));
  const send = (body: unknown): Promise<HttpResponse> => owner.send(method, target(), { body });

  it.each(roundsOf('accepted', fields))('succeeds and stores $shown', async (round) => {
    const response = await send(rawJson(valid(), round.tokens));
    expect(response.status).toBe(path.endsWith('/signup') ? 201 : 200);
    if (path.endsWith('/search')) return; // which finds something or nothing
    expectEcho(response, round);
    expectEcho(await admin.get(response.headers.get('location') ?? target()), round);
  });

  it.each(roundsOf('refused', fields))('answers 400 and stores nothing for $shown', async (round) => {
    const before = await stored();
    expectRefusal(await send(rawJson(valid(), round.tokens)), fields, round);
    expect(await stored()).toEqual(before);
  });

  it('answers 400 for each field that is missing, null or wrong, all at once', async () => {
    for (const body of [{}, nullsFor(required)])
      if (required.length > 0) expectFaults(await send(body), ...required);
    const wrong = Object.fromEntries(Object.keys(fields).map((field) => [field, '[1.5]']));
    const names = Object.keys(fields).map((field) => (field === 'tags' ? 'tags[0]' : field));
    expectFaults(await send(rawJson({}, wrong)), ...names);
  });

  it('takes null for every optional field as if it were left out', async () => {
    const without = await send(valid());
    const withNulls = await send({ ...valid(), ...nullsFor(optional) });
    for (const name of [...optional, 'content'])
      expect([name, bodyOf(withNulls)[name]]).toEqual([name, bodyOf(without)[name]]);
    expect([Math.floor(without.status / 100), withNulls.status]).toEqual([2, without.status]);
  });
});

it.each([49, 50, 500])('of %i faults the first 50 are listed, by names of 100 characters', async (count) => {
  const keys = Array.from({ length: count }, (_, index) => `${index}-`.padEnd(1000, 'k'));
  const metadata = Object.fromEntries(keys.map((key) => [key, 1]));
  const response = await owner.post('/api/transactions', transactionRequest(propertyId, { metadata }));
  expectFaults(response, ...keys.slice(0, 50).map((key) => `metadata.${key.slice(0, 100)}`));
});

it('a key of metadata with U+0000 is refused in the words of a text', async () => {
  const response = await owner.post(
    '/api/transactions',
    transactionRequest(propertyId, { metadata: { 'a\0': '' } }),
  );
  expect(Object.values(expectFaults(response, 'metadata.a\0'))).toEqual([
    'must not contain U+0000 or a lone surrogate',
  ]);
});

/** Requests with faults in more than one of path, query, header and body, and the names of all. */
const MANIFOLD: [line: string, faults: string, body?: unknown][] = [
  ['GET /api/transactions/property/x?size=0&sort=x', 'propertyId size sort'],
  ['PUT /api/properties/x', 'id maxGuests', propertyRequest({ maxGuests: 0 })],
  ['PUT /api/transactions/x', 'id amount tags[0]', transactionRequest(1, { amount: 0, tags: [1] })],
  ['POST /api/properties', 'Idempotency-Key maxGuests', propertyRequest({ maxGuests: 0 })],
  ['POST /api/transactions', 'Idempotency-Key amount', transactionRequest(1, { amount: 0 })],
  ['POST /api/transactions/batch?x', 'Idempotency-Key x transactions[0]', { transactions: [1] }],
  ['POST /api/transactions/import?dryRun=1', 'Idempotency-Key dryRun', '{}'],
  ['POST /api/transactions/search?cursor=!', 'cursor type', { type: 'SALE' }],
  ['POST /api/transactions/export?bom=1', 'bom type', { type: 'SALE' }],
];

const sendFaulty = (line: string, body: unknown): Promise<HttpResponse> => {
  const [method = '', path = ''] = line.split(' ');
  const mediaType = path.includes('/import') ? 'application/x-ndjson' : 'application/json';
  const headers = { 'idempotency-key': 'a b', ...(body !== undefined && { 'content-type': mediaType }) };
  return owner.send(method, path, { headers, body });
};

it.each(MANIFOLD)('%s answers 400 for all of %s', async (...[line, faults, body]) => {
  expectFaults(await sendFaulty(line, body), ...faults.split(' '));
});

it('a name with faults in two places has the messages of both', async () => {
  const response = await owner.post('/api/transactions/export?type=csv', { type: 'SALE' });
  expect(expectFaults(response, 'type')['type']).toMatch(/.+; .+/);
});

it.each(MANIFOLD.filter(([, , body]) => typeof body === 'object'))(
  '%s with malformed JSON is told of that, whatever else is wrong',
  async (...[line]) => void expectProblem(await sendFaulty(line, '{'), 'malformed-request'),
);

it('every operation with more than one place for faults is among them', () => {
  const placesOf = ({ parameters = [], requestBody }: OperationObject): Set<string> => {
    const places = parameters.map((it) => ('in' in it && it.name !== 'If-Match' ? it.in : ''));
    return new Set([...places, requestBody === undefined ? '' : 'body'].filter(Boolean));
  };
  const manifold = OPERATIONS.filter(({ operation }) => placesOf(operation).size > 1);
  const tried = MANIFOLD.map(([line]) => operationOf(...(line.split(' ') as [string, string])));
  expect(new Set(tried)).toEqual(new Set(manifold));
});
