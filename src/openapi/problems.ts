import type { ReferenceObject, ResponseObject, SchemaObject } from '@nestjs/swagger';
import { PROBLEM_JSON, PROBLEMS, type ProblemSlug } from '../http/problem/problem.js';
import { INSTANT, INT32, TEXT } from '../http/fields/schema.js';
import { headersOfProblem } from './headers.js';

const SLUGS = Object.keys(PROBLEMS) as ProblemSlug[];
const PROBLEM: SchemaObject = {
  type: 'object',
  description: 'A problem document of RFC 7807. `type` is stable to match on; `detail` is for people.',
  properties: {
    type: { ...TEXT, format: 'uri', description: '`urn:property-finance:problem:` and the slug.' },
    title: TEXT,
    status: { ...INT32, minimum: 400, maximum: 599, description: 'The status of the response.' },
    detail: TEXT,
    instance: { ...TEXT, description: 'The path of the request as it was sent, without its query.' },
    timestamp: INSTANT,
    errors: {
      type: 'object',
      additionalProperties: TEXT,
      description: 'Field or parameter → its fault; elements as `tags[1]` or `metadata.key`. At most 50.',
    },
    correlationId: { ...TEXT, format: 'uuid', description: 'The same as in the service’s log.' },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'timestamp'],
};

const COUNT = { ...INT32, minimum: 0 };

/** Members of one problem alone, which it always has. */
const OWN_MEMBERS: Partial<Record<ProblemSlug, Readonly<Record<string, SchemaObject | ReferenceObject>>>> = {
  'import-refused': {
    rows: { ...COUNT, description: 'Rows of the file, without the header line.' },
    duplicates: { ...COUNT, description: 'Rows equal to another row or to a stored transaction.' },
    faults: { ...COUNT, description: 'All other faults.' },
    findings: {
      type: 'array',
      items: { $ref: '#/components/schemas/ImportFinding' },
      maxItems: 100,
      description: 'The first faults and duplicates, by line.',
    },
  },
};

/** `Problem`, one schema for each slug, and one for each choice of several: generators need names for them. */
export function problemSchemas(choices: Iterable<readonly ProblemSlug[]>): Record<string, SchemaObject> {
  const special = SLUGS.map((slug) => [schemaName([slug]), problemSchema(slug)] as const);
  const several = [...choices].filter(({ length }) => length > 1);
  return {
    Problem: PROBLEM,
    ...Object.fromEntries(special),
    ...Object.fromEntries(several.map((slugs) => [schemaName(slugs), choiceOf(slugs)])),
  };
}

function choiceOf(slugs: readonly ProblemSlug[]): SchemaObject {
  const mapping = Object.fromEntries(slugs.map((slug) => [typeOf(slug), referenceTo([slug]).$ref]));
  return {
    oneOf: slugs.map((slug) => referenceTo([slug])),
    discriminator: { propertyName: 'type', mapping },
  };
}

function referenceTo(slugs: readonly ProblemSlug[]): ReferenceObject {
  return { $ref: `#/components/schemas/${schemaName(slugs)}` };
}

function problemSchema(slug: ProblemSlug): SchemaObject {
  const { title, status } = PROBLEMS[slug];
  const own = OWN_MEMBERS[slug] ?? {};
  const properties = {
    type: { ...TEXT, enum: [typeOf(slug)] },
    title: { ...TEXT, enum: [title] },
    status: { ...INT32, enum: [status] },
    ...own,
  };
  const required = [
    ...(slug === 'validation-failed' ? ['errors'] : status >= 500 ? ['correlationId'] : []),
    ...Object.keys(own),
  ];
  return {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
    ],
  };
}

/** The response of one status with any of these problems. */
export function problemResponse(slugs: readonly ProblemSlug[]): ResponseObject {
  return {
    description: slugs.map((slug) => `${slug}: ${MEANING[slug]}`).join('\n\n'),
    headers: headersOfProblem(PROBLEMS[slugs[0] ?? 'internal-error'].status),
    content: {
      [PROBLEM_JSON]: {
        schema: referenceTo(slugs),
        examples: Object.fromEntries(slugs.map((slug) => [slug, { value: exampleOf(slug) }])),
      },
    },
  };
}

/** `ResourceInUse`, as components are named. */
export function componentName(slugs: readonly ProblemSlug[]): string {
  return slugs.map(pascalCase).join('Or');
}

function schemaName(slugs: readonly ProblemSlug[]): string {
  return `${componentName(slugs)}Problem`;
}

function pascalCase(slug: string): string {
  return slug.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function typeOf(slug: ProblemSlug): string {
  return `urn:property-finance:problem:${slug}`;
}

function exampleOf(slug: ProblemSlug): object {
  const { title, status, detail } = PROBLEMS[slug];
  return {
    ...{ type: typeOf(slug), title, status, detail, instance: '/api/transactions' },
    timestamp: '2026-03-15T09:12:44.120Z',
    ...EXAMPLES[slug],
    ...(status >= 500 ? { correlationId: '0b6f4f0e-6f0e-4f57-9a52-6c1f4f2f8a11' } : {}),
  };
}

/** Members of an example that differ from the common ones. */
const EXAMPLES: Partial<Record<ProblemSlug, object>> = {
  'validation-failed': {
    errors: { amount: 'must be from 0.01 to 99999999999999999.99', 'tags[1]': 'must be a string' },
  },
  'bad-credentials': { instance: '/api/auth/signin' },
  'access-denied': { instance: '/api/users' },
  'not-found': { detail: 'There is no such property.', instance: '/api/properties/4711' },
  'method-not-allowed': { detail: 'This resource knows the methods GET, HEAD, POST.' },
  'not-acceptable': {
    detail: 'This resource can be had as text/csv or application/x-ndjson.',
    instance: '/api/transactions/export',
  },
  'duplicate-email': { instance: '/api/auth/signup' },
  'duplicate-username': { instance: '/api/auth/signup' },
  'resource-in-use': {
    detail: 'Transactions refer to this property: delete or move them first.',
    instance: '/api/properties/1',
  },
  'concurrent-modification': { instance: '/api/properties/1' },
  'import-refused': {
    detail: 'Rows of the file have faults, and nothing was stored: see findings.',
    ...{ rows: 120, duplicates: 1, faults: 1 },
    findings: [
      { line: 17, field: 'amount', reason: 'must be a number' },
      { line: 21, field: null, reason: 'is a duplicate of transaction 4712' },
    ],
  },
  'too-many-requests': { detail: 'Your last export is still under way.' },
  'service-unavailable': { detail: 'The database is not available just now.' },
};

/** The cause of a problem, and the remedy of the caller. */
const MEANING: Readonly<Record<ProblemSlug, string>> = {
  'validation-failed': 'fields or parameters are invalid; `errors` names each with its fault.',
  'malformed-request': 'the request could not be read: broken JSON or HTTP, or a body that is no object.',
  'authentication-required': 'there is no bearer token, or it is no longer valid; sign in again.',
  'bad-credentials': 'the username or the password is wrong; the response does not say which.',
  'access-denied': 'the caller’s role does not allow this.',
  'not-found': 'there is no such resource, or it belongs to another account.',
  'method-not-allowed': 'the path does not support this method; `Allow` lists its methods.',
  'not-acceptable': '`Accept` admits none of the media types of the operation.',
  'request-timeout': 'the request took too long to arrive.',
  'duplicate-email': 'an account with this e-mail address exists.',
  'duplicate-username': 'an account with this username exists.',
  'resource-in-use': 'other records depend on the resource; nothing was removed.',
  'concurrent-modification':
    'the resource has changed, or `If-Match` names another version: read it again and retry.',
  'payload-too-large':
    'the body exceeds the limit: 1 MiB unless configured otherwise, 10 MiB for a file, 16 KiB to sign up or in.',
  'uri-too-long': 'the URL is longer than 8,192 characters.',
  'unsupported-media-type':
    'the body has another media type than the operation reads, is not UTF-8, or has a Content-Encoding.',
  'expectation-failed': 'the request has an `Expect` other than `100-continue`.',
  'idempotency-key-reused':
    'another request was sent with the same `Idempotency-Key`; nothing was written. Take a new key.',
  'import-refused':
    'rows of the file are invalid or duplicates, as `findings` lists by line; nothing was stored.',
  'too-many-requests':
    'the account’s other requests hold its share of the database connections, or its last export or import is under way. Retry after the seconds of `Retry-After`; nothing was written.',
  'headers-too-large': 'the header fields are longer than 16,384 characters.',
  'internal-error': 'an unexpected failure; quote the `correlationId` when you report it.',
  'service-unavailable':
    'the database is unavailable or too busy, or too many large responses or files are under way. Retry after the seconds of `Retry-After`; before repeating a POST, check whether it succeeded.',
};
