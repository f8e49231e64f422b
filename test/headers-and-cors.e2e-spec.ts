import { expectProblem } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes } from './support/wire.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const APP = 'https://app.example.com';
const LOCAL = 'http://localhost:5173';
const READABLE = {
  'access-control-allow-origin': APP,
  'access-control-expose-headers': 'Location, ETag, X-Request-Id',
};

let service: Service;
/** Allows no origin. */
let closed: Service;
let user: Account;
let bearer: string;

// Every response to any test is searched for the headers that all must have: support/conformance.ts.
beforeAll(async () => {
  service = await startService({ CORS_ALLOWED_ORIGINS: `${APP}, ${LOCAL}` });
  closed = await startService({ CORS_ALLOWED_ORIGINS: '' }, service.settings.database.url);
  user = await service.account();
  bearer = `Authorization: Bearer ${user.token!}`;
});

const send = (line: string, headers: readonly string[], to = service): Promise<HttpResponse> =>
  sendBytes(to.url, requestText(`${line} HTTP/1.1`, headers));

const responseId = async (given: readonly string[]): Promise<string | null> => {
  const ids = given.map((id) => `X-Request-Id: ${id}`);
  return (await send('GET /api/users/me', [bearer, ...ids])).headers.get('x-request-id');
};

it.each(['a', 'A-Za-z0-9._-', 'x'.repeat(64)])('X-Request-Id: %s is echoed', async (id) => {
  expect(await responseId([id])).toBe(id);
});

it.each([[''], ['x'.repeat(65)], ['a b'], ['a,b'], ['a%0d%0aSet-Cookie:x'], ['caf\u00e9'], ['a', 'b'], []])(
  'X-Request-Id: %s %s is replaced, by another one each time',
  async (...ids) => {
    const [one, other] = [await responseId(ids), await responseId(ids)];
    expect([one, other]).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect(one).not.toBe(other);
  },
);

const MANY_FIELDS = Object.fromEntries(Array.from({ length: 101 }, (_, field) => [`x-${field}`, '']));

/** To a service that waits for a second. */
async function sendSlowly(headers: Record<string, string>): Promise<HttpResponse> {
  const impatient = await startService(
    { CORS_ALLOWED_ORIGINS: APP, REQUEST_TIMEOUT: '1s' },
    service.settings.database.url,
  );
  const fields = Object.entries({
    ...headers,
    'content-type': 'application/json',
    'content-length': '9',
  }).map(([name, value]) => `${name}: ${value}`);
  return sendBytes(impatient.url, `${requestText('POST /api/auth/signin HTTP/1.1', fields)}{`);
}

/** The CORS headers of a response; Vary is none of them. */
function corsHeaders({ headers }: Pick<HttpResponse, 'headers'>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

const preflight = (origin: string, path: string, method: string, requested = '', to = service) => {
  const fields = { 'access-control-request-method': method, 'access-control-request-headers': requested };
  return to.anonymous.send('OPTIONS', path, { headers: { origin, ...fields } });
};

it.each([APP, LOCAL])('a response to the allowed origin %s may be read by it alone', async (origin) => {
  const response = await user.get('/api/properties', { origin });
  expect([response.status, corsHeaders(response)]).toEqual([
    200,
    { ...READABLE, 'access-control-allow-origin': origin },
  ]);
  expect(response.headers.get('vary')).toMatch(/\bOrigin\b/);
});

it.each<[slug: string, refused: (headers: Record<string, string>) => Promise<HttpResponse>]>([
  ['validation-failed', (headers) => user.post('/api/properties', {}, headers)],
  ['malformed-request', (headers) => user.get('/%zz', headers)],
  ['authentication-required', (headers) => service.anonymous.get('/api/users/me', headers)],
  ['not-found', (headers) => user.get('/none', headers)],
  ['method-not-allowed', (headers) => user.send('PATCH', '/api/properties', { headers })],
  ['uri-too-long', (headers) => user.get(`/none?${'x'.repeat(8192)}`, headers)],
  ['request-timeout', (headers) => sendSlowly(headers)],
  ['headers-too-large', (headers) => user.get('/none', { ...headers, ...MANY_FIELDS })],
  ['payload-too-large', (headers) => user.post('/api/properties', 'x'.repeat(2 ** 20 + 1), headers)],
])('%s has the X-Request-Id of its request, and the allowed origin may read it', async (slug, refused) => {
  const response = await refused({ origin: APP, 'x-request-id': 'mine' });
  expectProblem(response, slug);
  expect(response.headers.get('x-request-id')).toBe('mine');
  expect(corsHeaders(response)).toEqual(READABLE);
});

it.each([
  ...['https://evil.example', 'https://app.example.com.evil.example', 'https://sub.app.example.com'],
  ...['http://app.example.com', 'https://app.example.com:8443', 'https://app.example.com/', APP],
  ...['https://app.example.com@evil.example', `${APP}, ${LOCAL}`, 'null', '*'],
])('a request and its preflight of the origin %s, not allowed, get no CORS headers', async (origin) => {
  for (const by of origin === APP ? [closed] : [closed, service]) {
    for (const path of ['/api/properties', '/actuator/prometheus', '/none']) {
      const requested = await preflight(origin, path, 'PUT', 'authorization', by);
      expect([requested.status, corsHeaders(requested)]).toEqual([204, {}]);
    }
    const response = await send('GET /api/properties', [`Origin: ${origin}`, bearer], by);
    expect([response.status, corsHeaders(response)]).toEqual([200, {}]);
    expect(/\bOrigin\b/.test(response.headers.get('vary') ?? '')).toBe(by === service);
  }
});

it.each<[kind: string, path?: string]>([
  ['/api/properties'],
  ['/api/users/1'],
  ['/actuator/prometheus'],
  ['/api/auth/signin'],
  ['/none'],
  ['/%zz'],
  ['a target that is too long', `/none?${'x'.repeat(8192)}`],
])(
  'a preflight of %s is answered before the authentication, whatever method is asked for',
  async (kind, path = kind) => {
    const allowed = 'Authorization, Content-Type, Accept, X-Request-Id, If-Match, If-None-Match';
    for (const [method, requested, granted] of [
      ['GET', 'authorization,content-type', allowed],
      ['PATCH', '', allowed],
      ['FROBNICATE', 'content-type, Idempotency-Key', `${allowed}, Idempotency-Key`],
    ] as const) {
      const response = await preflight(APP, path, method, requested);
      expect([response.status, response.text, response.headers.get('content-length')]).toEqual([
        204,
        '',
        null,
      ]);
      expect(corsHeaders(response)).toEqual({
        ...READABLE,
        'access-control-max-age': '3600',
        'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
        'access-control-allow-headers': granted,
      });
      expect(response.headers.get('vary')).toMatch(/\bOrigin\b/);
    }
  },
);

it.each([
  [['Access-Control-Request-Method: GET']],
  [[]],
  [['Origin: https://evil.example']],
  [[`Origin: ${APP}`]],
])('OPTIONS with %j is no preflight, and authenticated like everything else', async (headers) => {
  expectProblem(await send('OPTIONS /api/properties', headers), 'authentication-required');
  const response = await send('OPTIONS /api/properties', [...headers, bearer]);
  expectProblem(response, 'method-not-allowed', '/api/properties');
});
