import type { RequestBodyObject } from '@nestjs/swagger';
import { createApiDocument } from '../src/openapi/document.js';
import { API_DOCUMENT, escaped, faultsOf, OPERATIONS } from './support/api-document.js';
import { Client } from './support/client.js';
import {
  type Fields,
  PROPERTY_OPTIONAL,
  PROPERTY_REQUIRED,
  SEARCH,
  SIGN_UP_OPTIONAL,
  SIGN_UP_REQUIRED,
  TRANSACTION_OPTIONAL,
  TRANSACTION_REQUIRED,
} from './support/kinds/requests.js';
import { type Service, startService } from './support/service.js';

type Example = Readonly<Record<string, unknown>>;

/** JSON.parse would make another number of them, for the document to judge. */
const BEYOND_DOUBLES = /^-?[\d.eE+-]{20,}$|e-?400$/;
/** The document knows the forms of RFC 3339 alone. */
const LENIENT_DATE_TIME = /^"\d{4}-\d\d-\d\dT(?!\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"$)/i;

let service: Service;
beforeAll(async () => void (service = await startService()));

function operation(operationId: string): (typeof OPERATIONS)[number] {
  return OPERATIONS.find((it) => it.operation.operationId === operationId)!;
}

/** The example of a request's body, and the JSON pointer to its schema. */
function bodyOf(operationId: string): { example: Example; pointer: string } {
  const { method, path, operation: documented } = operation(operationId);
  const [[type, { example }] = ['', {}]] = Object.entries(
    (documented.requestBody as RequestBodyObject).content,
  );
  const pointer = `/paths/${escaped(path)}/${method.toLowerCase()}/requestBody/content/${escaped(type)}/schema`;
  return { example: example as Example, pointer };
}

function responseExample(operationId: string): Example {
  const response = operation(operationId).operation.responses[200];
  if (response === undefined || !('content' in response)) throw new Error(`${operationId} has no example`);
  return response.content?.['application/json']?.example as Example;
}

describe('openapi.json', () => {
  it('is up to date (npm run openapi)', () => {
    expect(JSON.parse(JSON.stringify(createApiDocument(service.app)))).toEqual(API_DOCUMENT);
  });

  const withBody = OPERATIONS.filter(({ operation: { requestBody } }) => requestBody !== undefined);
  it.each(withBody.map(({ operation: { operationId } }) => operationId!))(
    'has a valid example of the body of %s',
    (operationId) => {
      const { example, pointer } = bodyOf(operationId);
      expect(faultsOf(pointer, example, 'request')).toEqual([]);
    },
  );

  // The service's responses to these values are in test/validation-matrix.e2e-spec.ts.
  it.each<[string, required: Fields, optional: Fields]>([
    ['createProperty', PROPERTY_REQUIRED, PROPERTY_OPTIONAL],
    ['createTransaction', TRANSACTION_REQUIRED, TRANSACTION_OPTIONAL],
    ['searchTransactions', {}, SEARCH],
    ['signUp', SIGN_UP_REQUIRED, SIGN_UP_OPTIONAL],
  ])('admits every value that the service accepts in the body of %s', (operationId, required, optional) => {
    const { example, pointer } = bodyOf(operationId);
    const faultsWith = (field: string, value: unknown): string[] =>
      faultsOf(pointer, { ...example, [field]: value }, 'request');
    for (const [field, { accepted }] of Object.entries({ ...required, ...optional }))
      for (const [json] of accepted)
        if (!BEYOND_DOUBLES.test(json) && !LENIENT_DATE_TIME.test(json))
          expect([field, json, ...faultsWith(field, JSON.parse(json))]).toEqual([field, json]);
    for (const field of Object.keys(optional)) expect(faultsWith(field, null)).toEqual([]);
    for (const field of Object.keys(required)) expect(faultsWith(field, undefined)).toHaveLength(1);
  });
});

it('the examples succeed in their order on an empty service', async () => {
  const empty = await startService();
  const exampleOf = (operationId: string): Example => bodyOf(operationId).example;
  expect((await empty.anonymous.post('/api/auth/signup', exampleOf('signUp'))).status).toBe(201);
  const signIn = await empty.anonymous.post('/api/auth/signin', exampleOf('signIn'));
  expect(signIn.status).toBe(200);
  const ada = new Client(empty.url, (signIn.json as { accessToken: string }).accessToken);
  const property = await ada.post('/api/properties', exampleOf('createProperty'));
  expect([property.status, property.json]).toEqual([200, responseExample('createProperty')]);
  const transaction = await ada.post('/api/transactions', exampleOf('createTransaction'));
  const instant = expect.any(String) as string;
  const documented = { ...responseExample('createTransaction'), createdAt: instant, updatedAt: instant };
  expect([transaction.status, transaction.json]).toEqual([200, documented]);
  const found = await ada.post('/api/transactions/search', exampleOf('searchTransactions'));
  expect(found.json).toMatchObject({ totalElements: 1 });
  expect((await ada.put('/api/properties/1', exampleOf('updateProperty'))).status).toBe(200);
  expect((await ada.put('/api/transactions/1', exampleOf('updateTransaction'))).status).toBe(200);
});
