import type { ParameterObject, RequestBodyObject, ResponseObject } from '@nestjs/swagger';
import { createApiDocument } from '../src/openapi/document.js';
import { API_DOCUMENT, escaped, faultsOf, OPERATIONS } from './support/api-document.js';
import { PROPERTY, SEARCH, SIGN_UP, TRANSACTION } from './support/body-fields.js';
import { startService } from './support/service.js';
import { signedIn, signUp } from './support/sign-up.js';

type Example = Readonly<Record<string, unknown>>;

/** JSON.parse would make another number of them, for the document to judge. */
const BEYOND_DOUBLES = /^-?[\d.eE+-]{20,}$|e-?400$/;
/** The document knows the forms of RFC 3339 alone. */
const LENIENT_DATE_TIME = /^"\d{4}-\d\d-\d\dT(?!\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"$)/i;

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
  const response = operation(operationId).operation.responses[200] as ResponseObject;
  return response.content!['application/json']!.example as Example;
}

it('openapi.json is up to date (npm run openapi)', async () => {
  const { app } = await startService();
  expect(JSON.parse(JSON.stringify(createApiDocument(app)))).toEqual(API_DOCUMENT);
});

const withBody = OPERATIONS.filter(({ operation: { requestBody } }) => requestBody !== undefined);

it.each(withBody.map(({ operation }) => operation.operationId!))(
  'the example of the body of %s is valid',
  (id) => {
    const { example, pointer } = bodyOf(id);
    expect(faultsOf(pointer, example, 'request')).toEqual([]);
  },
);

// The service's responses to these values are in test/validation-matrix.e2e-spec.ts.
it.each([
  ['createProperty', PROPERTY],
  ['createTransaction', TRANSACTION],
  ['searchTransactions', SEARCH],
  ['signUp', SIGN_UP],
])(
  'the document admits every value that the service accepts in the body of %s',
  (id, { fields, required, optional }) => {
    const { example, pointer } = bodyOf(id);
    const faultsWith = (field: string, value: unknown): string[] =>
      faultsOf(pointer, { ...example, [field]: value }, 'request');
    for (const [field, { accepted }] of Object.entries(fields))
      for (const [json] of accepted)
        if (!BEYOND_DOUBLES.test(json) && !LENIENT_DATE_TIME.test(json))
          expect([field, json, ...faultsWith(field, JSON.parse(json))]).toEqual([field, json]);
    for (const field of optional) expect(faultsWith(field, null)).toEqual([]);
    for (const field of required) expect(faultsWith(field, undefined)).toHaveLength(1);
  },
);

it.each(['createProperty', 'createTransaction'])('every field of %s is in its response', (id) => {
  const fields = Object.keys(bodyOf(id).example);
  expect(Object.keys(responseExample(id))).toEqual(expect.arrayContaining(fields));
});

it('every operation but a DELETE takes the examples of its parameters and body, one after another', async () => {
  const empty = await startService();
  const { components } = API_DOCUMENT;
  expect((await signUp(empty.anonymous, bodyOf('signUp').example)).status).toBe(201);
  const admin = await empty.account('ADMIN');
  const ada = await signedIn(empty.anonymous, bodyOf('signIn').example);
  const refused: unknown[] = [];
  for (const { method, path, operation } of OPERATIONS.filter(({ method }) => method !== 'DELETE')) {
    const given = (operation.parameters as (ParameterObject & { $ref?: string })[]).map(({ $ref, ...own }) =>
      $ref === undefined ? own : (components!.parameters![$ref.split('/').at(-1)!] as ParameterObject),
    );
    const query = given.flatMap(({ in: place, name, example, schema }) => {
      const value = (example ?? (schema as { default?: unknown }).default) as string | undefined;
      return place === 'query' && value !== undefined ? [`${name}=${encodeURIComponent(value)}`] : [];
    });
    const headers = given.flatMap(({ in: place, name, example }) =>
      place === 'header' && name !== 'If-None-Match' ? [[name, String(example)] as const] : [],
    );
    const [[type, { example: body }] = ['', { example: undefined }]] = Object.entries(
      (operation.requestBody as RequestBodyObject | undefined)?.content ?? {},
    );
    const isOfAdmin = /^\/(?:actuator|api\/users(?!\/me))/.test(path);
    const response = await (isOfAdmin ? admin : ada).send(
      method,
      `${path.replace(/\{\w+\}/, '1')}?${query.join('&')}`,
      {
        headers: { ...Object.fromEntries(headers), ...(type && { 'content-type': type }) },
        body: body as object,
      },
    );
    if (response.status >= 400) refused.push([method, path, query, response.text]);
  }
  expect(refused.slice(1)).toEqual([]); // the account of the first is there already
});

it('the examples succeed in their order on an empty service', async () => {
  const empty = await startService();
  const exampleOf = (operationId: string): Example => bodyOf(operationId).example;
  expect((await signUp(empty.anonymous, exampleOf('signUp'))).status).toBe(201);
  const ada = await signedIn(empty.anonymous, exampleOf('signIn'));
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
