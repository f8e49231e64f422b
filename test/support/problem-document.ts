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
  'expectation-failed': [417, 'Expectation failed'],
  'import-refused': [422, 'Import refused'],
  'too-many-requests': [429, 'Too many requests'],
  'headers-too-large': [431, 'Request header fields too large'],
  'internal-error': [500, 'Internal server error'],
  'service-unavailable': [503, 'Service unavailable'],
};

const TYPE = 'urn:property-finance:problem:';
const MEMBERS = ['detail', 'instance', 'status', 'timestamp', 'title', 'type'];
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
  'content-security-policy': /^default-src 'none'/,
  'referrer-policy': /^no-referrer$/,
  'x-request-id': /^[\w.-]{1,64}$/,
};

/** The headers that no answer has. */
const FORBIDDEN_HEADERS = ['server', 'x-powered-by', 'set-cookie', 'strict-transport-security'];

const REQUIRED_HEADERS: Readonly<Record<number, [name: string, value: RegExp]>> = {
  401: ['www-authenticate', /^Bearer realm="property-finance"(, error="invalid_token")?$/],
  405: ['allow', /^[A-Z]+(, [A-Z]+)*$/],
  429: ['retry-after', /^[1-9]\d*$/],
  503: ['retry-after', /^[1-9]\d*$/],
};

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What the headers of an answer lack or have too much, in words. */
export function headerFaults({ headers }: Pick<Told, 'headers'>): string[] {
  const lacking = Object.entries(SECURITY_HEADERS)
    .filter(([name, value]) => !value.test(headers.get(name) ?? ''))
    .map(([name]) => `${name} is ${headers.get(name) ?? 'missing'}`);
  const unwanted = FORBIDDEN_HEADERS.filter((name) => headers.has(name)).map((name) => `has ${name}`);
  return [...lacking, ...unwanted];
}

/** Why this answer is no well-formed problem document: nothing, when it is one. */
export function problemFaults(answer: Told, instance?: string): string[] {
  const { status, headers, text } = answer;
  const faults = headerFaults(answer);
  const [name, value] = REQUIRED_HEADERS[status] ?? [];
  if (name !== undefined && !value!.test(headers.get(name) ?? ''))
    faults.push(`${name} is ${headers.get(name)}`);
  if (headers.get('content-type') !== 'application/problem+json')
    faults.push(`content-type is ${headers.get('content-type')}`);
  if (headers.get('content-length') !== String(Buffer.byteLength(text)))
    faults.push(`content-length is ${headers.get('content-length')} of ${Buffer.byteLength(text)}`);
  return [...faults, ...documentFaults(status, text, instance)];
}

function documentFaults(status: number, text: string, instance?: string): string[] {
  const document = parseObject(text);
  if (document === undefined) return [`the body is ${brief(text)}`];
  const slug = String(document['type']).replace(TYPE, '');
  const [expectedStatus, title] = PROBLEM_TABLE[slug] ?? [];
  const further = [
    ...(slug === 'validation-failed' ? ['errors'] : []),
    ...(slug === 'import-refused' ? ['rows', 'duplicates', 'faults', 'findings'] : []),
    ...(status >= 500 ? ['correlationId'] : []),
  ];
  const told = { ...document, instance: '', errors: '', findings: '' };
  const checks: [boolean, string][] = [
    [String(document['type']).startsWith(TYPE) && title !== undefined, `type ${String(document['type'])}`],
    [status === expectedStatus && document['status'] === status, `status ${String(document['status'])}`],
    [document['title'] === title, `title ${String(document['title'])}`],
    [isSentence(document['detail']), `detail ${brief(document['detail'])}`],
    [INSTANT.test(String(document['timestamp'])), `timestamp ${String(document['timestamp'])}`],
    [
      Math.abs(Date.parse(String(document['timestamp'])) - Date.now()) < 60_000,
      'a timestamp of another time',
    ],
    [
      Object.keys(document).sort().join() === [...MEMBERS, ...further].sort().join(),
      `members ${brief(text)}`,
    ],
    [isPath(document['instance'], instance), `instance ${brief(document['instance'])}`],
    [status < 500 || UUID.test(String(document['correlationId'])), 'no correlationId'],
    [slug !== 'validation-failed' || areFieldErrors(document['errors']), `errors ${brief(text)}`],
    [!INSIDE.some((pattern) => pattern.test(JSON.stringify(told))), `tells of the inside: ${brief(text)}`],
  ];
  return checks.filter(([holds]) => !holds).map(([, fault]) => fault);
}

/** Short enough for a message. */
function brief(value: unknown): string {
  return String(value).slice(0, 400);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isSentence(detail: unknown): boolean {
  return typeof detail === 'string' && /^[A-Z].{5,300}\.$/s.test(detail);
}

/** The path of the request, never its query. */
function isPath(instance: unknown, expected: string | undefined): boolean {
  if (typeof instance !== 'string') return false;
  return expected === undefined ? !/[?#]/.test(instance) : instance === expected;
}

function areFieldErrors(errors: unknown): boolean {
  if (typeof errors !== 'object' || errors === null || Array.isArray(errors)) return false;
  const messages = Object.values(errors);
  return (
    messages.length > 0 &&
    messages.length <= 50 &&
    messages.every((value) => typeof value === 'string' && value !== '')
  );
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
