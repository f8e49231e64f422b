import type { ReferenceObject, ResponseObject, SchemaObject } from '@nestjs/swagger';
import { PROBLEM_JSON, PROBLEMS, type ProblemSlug } from '../common/problems/problem.js';
import { INSTANT, INT32, TEXT } from '../common/validation/schema.js';
import { headersOf } from './headers.js';

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
  // `type` comes always, but Rust takes what decides about a union out of its members, and then misses what is required.
  required: ['title', 'status', 'detail', 'instance', 'timestamp'],
};

const COUNT = { ...INT32, minimum: 0 };

const REFUSED_IMPORT: Readonly<Record<string, SchemaObject | ReferenceObject>> = {
  rows: { ...COUNT, description: 'Rows of the file, without the header line.' },
  duplicates: { ...COUNT, description: 'Rows that repeat a stored transaction.' },
  faults: { ...COUNT, description: 'All other faults.' },
  findings: {
    type: 'array',
    items: { $ref: '#/components/schemas/ImportFinding' },
    maxItems: 100,
    description: 'The first faults and duplicates, by line.',
  },
};

/** `Problem`, one schema for each slug, and one for each choice of several: generators need names for them. */
export function problemSchemas(responses: Iterable<readonly ProblemSlug[]>): Record<string, SchemaObject> {
  const single = (Object.keys(PROBLEMS) as ProblemSlug[]).map((slug) => [slug]);
  const schemas = [...single, ...responses].map((slugs) => [schemaName(slugs), schemaOf(slugs)] as const);
  return { Problem: PROBLEM, ...Object.fromEntries(schemas) };
}

function schemaOf(slugs: readonly ProblemSlug[]): SchemaObject {
  const [only, ...others] = slugs;
  if (only !== undefined && others.length === 0) return problemSchema(only);
  const mapping = Object.fromEntries(slugs.map((slug) => [typeOf(slug), schemaReference([slug]).$ref]));
  const discriminator = { propertyName: 'type', mapping };
  return { oneOf: slugs.map((slug) => schemaReference([slug])), discriminator };
}

function problemSchema(slug: ProblemSlug): SchemaObject {
  const own = slug === 'import-refused' ? REFUSED_IMPORT : {};
  const properties = { type: { ...TEXT, enum: [typeOf(slug)] }, ...own };
  const names = Object.keys(own);
  if (slug === 'validation-failed') names.push('errors');
  if (PROBLEMS[slug].status >= 500) names.push('correlationId');
  const required = names.length > 0 ? names : undefined;
  return { allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties, required }] };
}

export function problemResponse(slugs: readonly ProblemSlug[]): ResponseObject {
  return {
    description: slugs.map((slug) => `${slug}: ${MEANING[slug] ?? PROBLEMS[slug].detail}`).join('\n\n'),
    headers: headersOf(slugs.flatMap((slug) => HEADERS[PROBLEMS[slug].status] ?? [])),
    content: {
      [PROBLEM_JSON]: {
        schema: schemaReference(slugs),
        examples: Object.fromEntries(slugs.map((slug) => [slug, { value: problemExample(slug) }])),
      },
    },
  };
}

/** Status → the headers that its problems have beside the common ones. */
const HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function schemaReference(slugs: readonly ProblemSlug[]): ReferenceObject {
  return { $ref: `#/components/schemas/${schemaName(slugs)}` };
}

const schemaName = (slugs: readonly ProblemSlug[]): string => `${componentName(slugs)}Problem`;

/** `ResourceInUse`, as components are named. */
export function componentName(slugs: readonly ProblemSlug[]): string {
  return slugs.join('-or-').replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const typeOf = (slug: ProblemSlug): string => `urn:property-finance:problem:${slug}`;

function problemExample(slug: ProblemSlug): object {
  const { title, status, detail } = PROBLEMS[slug];
  return {
    ...{ type: typeOf(slug), title, status, detail, instance: '/api/properties/1' },
    timestamp: '2026-03-15T09:12:44.120Z',
    ...EXAMPLES[slug],
    ...(status >= 500 && { correlationId: '0b6f4f0e-6f0e-4f57-9a52-6c1f4f2f8a11' }),
  };
}

/** Members of an example that differ from the common ones. */
const EXAMPLES: Partial<Record<ProblemSlug, object>> = {
  'validation-failed': {
    instance: '/api/transactions',
    errors: { amount: 'must be from 0.01 to 99999999999999999.99', 'tags[1]': 'must be a string' },
  },
  'bad-credentials': { instance: '/api/auth/signin' },
  'access-denied': { instance: '/api/users' },
  'not-found': { detail: 'There is no such property.' },
  'method-not-allowed': { detail: 'This path supports GET, HEAD, PUT, DELETE.' },
  'not-acceptable': { detail: 'This resource is available as text/csv or application/x-ndjson.' },
  'duplicate-email': { instance: '/api/auth/signup' },
  'duplicate-username': { instance: '/api/auth/signup' },
  'resource-in-use': { detail: 'The property has transactions: delete or move them first.' },
  'import-refused': {
    detail: 'Rows of the file have faults, and nothing was stored: see findings.',
    instance: '/api/transactions/import',
    ...{ rows: 120, duplicates: 1, faults: 1 },
    findings: [
      { line: 17, field: 'amount', reason: 'must be a number' },
      { line: 21, field: null, reason: 'is a duplicate of transaction 4712' },
    ],
  },
  'too-many-requests': { detail: 'Your previous export is still running.' },
  'service-unavailable': { detail: 'The database is currently unavailable.' },
};

/** The cause of a problem and the remedy of the caller, where the usual detail does not say both. */
const MEANING: Partial<Record<ProblemSlug, string>> = {
  'malformed-request': 'The request could not be read: broken JSON or HTTP, or a body that is not an object.',
  'authentication-required': 'There is no bearer token, or it is no longer valid: sign in again.',
  'not-found': 'There is no such resource, or it belongs to another account.',
  'method-not-allowed': 'The path does not support this method; `Allow` lists its methods.',
  'not-acceptable': '`Accept` admits none of the media types of the operation.',
  'resource-in-use': 'Other records depend on the resource; nothing was removed.',
  'concurrent-modification':
    'The resource has changed, or `If-Match` names another version: read it again and retry.',
  'cursor-expired':
    'The cursor is older than the deletions that are kept (90 days unless configured otherwise), or of another copy of the database: after a failover, or a restore. Begin anew with an export, whose `Changes-Cursor` leads on.',
  'payload-too-large': 'The body exceeds the limit: 1 MiB unless configured otherwise, 10 MiB for a file.',
  'unsupported-media-type':
    'The body has another media type than the operation reads, is not UTF-8, or has a Content-Encoding.',
  'idempotency-key-reused':
    'Another request was sent with the same `Idempotency-Key`; nothing was written. Take a new key.',
  'import-refused':
    'Rows of the file are invalid or duplicates, as `findings` lists by line; nothing was stored.',
  'too-many-requests':
    'The account’s other requests hold its share of the database connections, or its previous export or import is still running. Retry after the seconds of `Retry-After`; nothing was written.',
  'service-unavailable':
    'The database is unavailable or too busy, or too many large responses or files are being sent. Retry after the seconds of `Retry-After`; before repeating a POST, check whether it succeeded.',
};
