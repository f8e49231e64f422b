import type { RequestBodyObject, SchemaObject } from '@nestjs/swagger';
import { createApiDocument } from '../src/openapi/document.js';
import { API_DOCUMENT, escaped, faultsOf, OPERATIONS } from './support/api-document.js';
import { type Answer, Client } from './support/client.js';
import { type Exchange, undocumented } from './support/conformance.js';
import { schemaAt, type Violation, violationsOf } from './support/forbidden.js';
import { type Account, type Service, startService } from './support/service.js';

let service: Service;
let user: Account;

beforeAll(async () => {
  service = await startService();
  user = await service.account();
});

const exampleOf = (operationId: string): unknown => {
  const body = operation(operationId).operation.requestBody;
  return body !== undefined && 'content' in body ? Object.values(body.content)[0]?.example : undefined;
};

describe('openapi.json', () => {
  it('is up to date (npm run openapi)', () => {
    expect(JSON.parse(JSON.stringify(createApiDocument(service.app)))).toEqual(API_DOCUMENT);
  });

  it('has a valid example of every body', () => {
    const faults = OPERATIONS.map(({ operation }) => operation)
      .filter(({ requestBody }) => requestBody !== undefined)
      .map(({ operationId = '' }) => faultsOf(bodyOf(operationId), exampleOf(operationId), 'request'));
    expect(faults).toEqual(faults.map(() => []));
  });
});

it('the examples succeed in their order on an empty service', async () => {
  const empty = await startService();
  expect((await empty.anonymous.post('/api/auth/signup', exampleOf('signUp'))).status).toBe(201);
  const signIn = await empty.anonymous.post('/api/auth/signin', exampleOf('signIn'));
  expect(signIn.status).toBe(200);
  const ada = new Client(empty.url, (signIn.json as { accessToken: string }).accessToken);
  const property = await ada.post('/api/properties', exampleOf('createProperty'));
  expect([property.status, property.json]).toEqual([200, responseExample('createProperty')]);
  const transaction = await ada.post('/api/transactions', exampleOf('createTransaction'));
  const documented = without(responseExample('createTransaction'), 'createdAt', 'updatedAt');
  expect(transaction.status).toBe(200);
  expect(transaction.json).toMatchObject(documented);
  const found = await ada.post('/api/transactions/search', exampleOf('searchTransactions'));
  expect(found.json).toMatchObject({ totalElements: 1 });
  expect((await ada.put('/api/properties/1', exampleOf('updateProperty'))).status).toBe(200);
  expect((await ada.put('/api/transactions/1', exampleOf('updateTransaction'))).status).toBe(200);
});

function without(example: unknown, ...fields: string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(example as Record<string, unknown>).filter(([name]) => !fields.includes(name)),
  );
}

function responseExample(operationId: string): Record<string, unknown> {
  const response = operation(operationId).operation.responses[200];
  if (response === undefined || !('content' in response)) throw new Error(`${operationId} has no example`);
  return response.content?.['application/json']?.example as Record<string, unknown>;
}

/** The JSON pointer to the schema of a request's body. */
function bodyOf(operationId: string): string {
  const { method, path, operation: told } = operation(operationId);
  const [type = ''] = Object.keys((told.requestBody as RequestBodyObject).content);
  return `/paths/${escaped(path)}/${method.toLowerCase()}/requestBody/content/${escaped(type)}/schema`;
}

/** The status of a refusal, and the fields at fault. */
function refusal({ status, json }: Answer): [number, string[]] {
  const { errors = {} } = json as { errors?: Record<string, string> };
  return [status, Object.keys(errors).map((path) => path.replace(/[.[].*$/, ''))];
}

interface Case extends Violation {
  readonly field: string;
}

const BODIES = ['signUp', 'signIn', 'createProperty', 'createTransaction', 'searchTransactions'];

function operation(operationId: string): (typeof OPERATIONS)[number] {
  const found = OPERATIONS.find((it) => it.operation.operationId === operationId);
  if (found === undefined) throw new Error(`There is no operation ${operationId}`);
  return found;
}

function fieldsOf(operationId: string): [string, SchemaObject, boolean][] {
  const body = operation(operationId).operation.requestBody;
  const schema = schemaAt(
    body !== undefined && 'content' in body ? body.content['application/json']?.schema : {},
  );
  return Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    property as SchemaObject,
    schema.required?.includes(name) ?? false,
  ]);
}

/** The violations of a body's schema, by field. */
function forbiddenIn(operationId: string): Case[][] {
  return fieldsOf(operationId).map(([field, schema, required]) => [
    ...violationsOf(schema).map((violation) => ({ field, ...violation })),
    ...(required ? [{ field, rule: 'required', json: '' }] : []),
  ]);
}

/** The example of a body with these faults. */
function bodyWith(operationId: string, cases: readonly Case[]): string {
  const others = JSON.stringify(without(exampleOf(operationId), ...cases.map(({ field }) => field))).slice(1);
  const wrong = cases.filter(({ json }) => json !== '').map(({ field, json }) => `"${field}":${json},`);
  return `{${wrong.join('')}${others}`.replace(/,\}$/, '}');
}

it.each(BODIES)('%s refuses each field for each rule of the document', async (operationId) => {
  const { path } = operation(operationId);
  const byField = forbiddenIn(operationId);
  for (const one of byField.flat()) {
    const faults = faultsOf(bodyOf(operationId), JSON.parse(bodyWith(operationId, [one])), 'request');
    expect({ ...one, isForbidden: faults.length > 0 }).toEqual({ ...one, isForbidden: true });
  }
  // The first violation of every field in one request, the second of every field in another, and so on.
  for (let round = 0; byField.some((cases) => cases.length > round); round++) {
    const cases = byField.flatMap((list) => list.slice(round, round + 1));
    const [status, fields] = refusal(await user.post(path, bodyWith(operationId, cases)));
    expect({ cases, status, fields: [...new Set(fields)].sort() }).toEqual({
      cases,
      status: 400,
      fields: cases.map(({ field }) => field).sort(),
    });
  }
});

describe('every test of the service', () => {
  let answer: Answer;
  beforeAll(async () => void (answer = await user.get('/api/users/me')));

  it.each<[string, (exchange: Exchange) => Partial<Exchange>]>([
    ['another status', () => ({ status: 202 })],
    ['another header', ({ headers }) => ({ headers: new Headers([...headers, ['x-more', '1']]) })],
    [
      'another value of a header',
      ({ headers }) => ({ headers: new Headers([...headers, ['cache-control', 'x']]) }),
    ],
    [
      'a missing header',
      ({ headers }) => ({ headers: new Headers([...headers].filter(([it]) => it !== 'x-request-id')) }),
    ],
    ['another field', ({ text }) => ({ text: text.replace('{', '{"passwordHash":"x",') })],
    ['another type of a field', ({ text }) => ({ text: text.replace(/"id":(\d+)/, '"id":"$1"') })],
    ['a missing field', ({ text }) => ({ text: text.replace(/,"role":"\w+"/, '') })],
    ['an unknown path without a problem', () => ({ target: '/api/unknown' })],
  ])('fails at %s', (_, change) => {
    const { status, headers, text } = answer;
    const exchange = { method: 'GET', target: '/api/users/me', status, headers, text };
    expect(undocumented(exchange)).toEqual([]);
    expect(undocumented({ ...exchange, ...change(exchange) })).not.toEqual([]);
  });
});
