import { INSTANT } from './contract.js';

/** The problems of the contract, written out once more: slug → status and title. */
const PROBLEM_TABLE: Readonly<Record<string, readonly [status: number, title: string]>> = {
  'validation-failed': [400, 'Validation failed'],
  'malformed-request': [400, 'Malformed request'],
  'authentication-required': [401, 'Authentication required'],
  'bad-credentials': [401, 'Authentication failed'],
  'access-denied': [403, 'Access denied'],
  'not-found': [404, 'Resource not found'],
  'method-not-allowed': [405, 'Method not allowed'],
  'not-acceptable': [406, 'Not acceptable'],
  'request-timeout': [408, 'Request timeout'],
  'duplicate-email': [409, 'Conflict'],
  'duplicate-username': [409, 'Conflict'],
  'resource-in-use': [409, 'Conflict'],
  'concurrent-modification': [409, 'Concurrent modification'],
  'idempotency-key-reused': [422, 'Idempotency key reused'],
  'payload-too-large': [413, 'Payload too large'],
  'uri-too-long': [414, 'URI too long'],
  'unsupported-media-type': [415, 'Unsupported media type'],
  'import-refused': [422, 'Import refused'],
  'too-many-requests': [429, 'Too many requests'],
  'headers-too-large': [431, 'Request header fields too large'],
  'internal-error': [500, 'Internal server error'],
  'service-unavailable': [503, 'Service unavailable'],
};

const TYPE = 'urn:property-finance:problem:';
const MEMBERS = ['detail', 'instance', 'status', 'timestamp', 'title', 'type'];
const FURTHER_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  'validation-failed': ['errors'],
  'import-refused': ['rows', 'duplicates', 'faults', 'findings'],
};
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** What would tell of the inside: stacks, files, statements, the names of libraries, drivers and their codes. */
const INSIDE = [
  /\b(SELECT|INSERT|UPDATE|DELETE FROM|WHERE)\b|\b(FST|HPE|ERR|ECONN|E[A-Z]{4,})_?[A-Z]*\b|[a-z](Error|Exception)\b/,
  /node_modules|\.[cm]?[jt]s\b|\n\s+at |typeorm|fastify|nestjs|postgres|\bpg_|constraint|undefined|\[object/i,
];

/** The headers that every answer has, errors included. */
const SECURITY_HEADERS: Readonly<Record<string, RegExp>> = {
  'x-content-type-options': /^nosniff$/,
  'cache-control': /^no-store$/,
  'content-security-policy':
    /^default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  'referrer-policy': /^no-referrer$/,
  'x-request-id': /^[\w.-]{1,64}$/,
};

/** The headers that no answer has. */
const FORBIDDEN_HEADERS = ['server', 'x-powered-by', 'set-cookie', 'strict-transport-security'];

const REQUIRED_HEADERS: Readonly<Record<number, Readonly<Record<string, RegExp>>>> = {
  401: { 'www-authenticate': /^Bearer realm="property-finance"(, error="invalid_token")?$/ },
  405: { allow: /^[A-Z]+(, [A-Z]+)*$/ },
  429: { 'retry-after': /^[1-9]\d*$/ },
  503: { 'retry-after': /^[1-9]\d*$/ },
};

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The faults of the headers that every answer has, or must not have. */
export function headerFaults({ headers }: Pick<Told, 'headers'>): string[] {
  const unwanted = FORBIDDEN_HEADERS.filter((name) => headers.has(name)).map((name) => `has ${name}`);
  return [...mismatches(headers, SECURITY_HEADERS), ...unwanted];
}

function mismatches(headers: Headers, wanted: Readonly<Record<string, RegExp>>): string[] {
  return Object.entries(wanted)
    .filter(([name, value]) => !value.test(headers.get(name) ?? ''))
    .map(([name]) => `${name} is ${headers.get(name) ?? 'missing'}`);
}

/** The reasons why this answer is no well-formed problem document. */
export function problemFaults(answer: Told, instance?: string): string[] {
  const { status, headers, text } = answer;
  const ofProblem = {
    ...REQUIRED_HEADERS[status],
    'content-type': /^application\/problem\+json$/,
    'content-length': new RegExp(`^${Buffer.byteLength(text)}$`),
  };
  return [...headerFaults(answer), ...mismatches(headers, ofProblem), ...documentFaults(answer, instance)];
}

function documentFaults({ status, text }: Told, instance?: string): string[] {
  const shown = text.slice(0, 400);
  const document = parseObject(text);
  if (document === undefined) return [`the body is ${shown}`];
  const { type, title, detail, timestamp, errors, correlationId, instance: path } = document;
  const slug = String(type).replace(TYPE, '');
  const [expectedStatus, expectedTitle] = PROBLEM_TABLE[slug] ?? [];
  const members = [...MEMBERS, ...(FURTHER_MEMBERS[slug] ?? []), ...(status >= 500 ? ['correlationId'] : [])];
  const told = JSON.stringify({ ...document, instance: '', errors: '', findings: '' });
  const messages = Object.values(Object(errors) as Record<string, unknown>);
  const age = Date.now() - Date.parse(String(timestamp));
  const checks: Readonly<Record<string, boolean>> = {
    type: type === TYPE + slug && expectedTitle !== undefined,
    status: status === expectedStatus && document['status'] === status,
    title: title === expectedTitle,
    detail: /^[A-Z].{5,300}\.$/s.test(String(detail)),
    timestamp: INSTANT.test(String(timestamp)) && Math.abs(age) < 60_000,
    members: Object.keys(document).sort().join() === members.sort().join(),
    // the path of the request, never its query
    instance: instance === undefined ? /^[^?#]+$/.test(String(path)) : path === instance,
    correlationId: status < 500 || UUID.test(String(correlationId)),
    errors:
      slug !== 'validation-failed' ||
      (messages.every((it) => typeof it === 'string' && it !== '') &&
        messages.length > 0 &&
        messages.length <= 50),
    'the inside': !INSIDE.some((pattern) => pattern.test(told)),
  };
  const faulty = Object.keys(checks).filter((name) => checks[name] === false);
  return faulty.map((name) => `${name} in ${shown}`);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Fails unless the answer is this problem, whole and well-formed. */
export function expectDocument(answer: Told, slug: string, instance?: string): void {
  const { type = 'no problem' } = parseObject(answer.text) ?? {};
  expect({ type, status: answer.status, faults: problemFaults(answer, instance) }).toEqual({
    type: TYPE + slug,
    status: PROBLEM_TABLE[slug]?.[0],
    faults: [],
  });
}
