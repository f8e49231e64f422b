import { AuthService } from '../src/auth/auth.service.js';
import { Database } from '../src/database/database.js';
import type { Answer } from './support/client.js';
import { createProperty, createTransaction, propertyRequest } from './support/factories.js';
import { expectDocument, headerFaults } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { signIn, signUp, signUpRequest } from './support/sign-up.js';
import { requestText, sendBytes, Wire, type WireAnswer } from './support/wire.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const APP = 'https://app.example.com';
const LOCAL = 'http://localhost:5173';

type Told = Pick<WireAnswer, 'status' | 'headers' | 'text'>;

let service: Service;
let user: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService({ REQUEST_TIMEOUT: '1s', CORS_ALLOWED_ORIGINS: `${APP}, ${LOCAL}` });
  [user, admin] = [await service.account(), await service.account('ADMIN')];
});
afterEach(() => void jest.restoreAllMocks());

const bearer = (account: Account): string => `Authorization: Bearer ${account.token!}`;

async function slowly(text: string): Promise<WireAnswer> {
  const wire = await Wire.open(service.url);
  try {
    return await wire.send(text).answer();
  } finally {
    wire.destroy();
  }
}

describe('the headers of every answer', () => {
  const known = signUpRequest();
  let property: { id: number };

  beforeAll(async () => {
    await signUp(service.anonymous, known);
    property = await createProperty(user);
    await createTransaction(user, property.id);
  });

  const raw = (line: string, ...headers: string[]): Promise<WireAnswer> =>
    sendBytes(service.url, requestText(line, headers));

  const ANSWERS: [status: number, name: string, send: () => Promise<Told>][] = [
    [200, 'a resource', () => user.get(`/api/properties/${property.id}`)],
    [200, 'a list', () => user.get('/api/transactions')],
    [200, 'a search', () => user.post('/api/transactions/search', {})],
    [200, 'a creation', () => user.post('/api/properties', propertyRequest())],
    [200, 'a sign-in', () => signIn(service.anonymous, known)],
    [200, 'health', () => service.anonymous.get('/actuator/health')],
    [200, 'liveness', () => service.anonymous.get('/actuator/health/liveness')],
    [200, 'metrics', () => admin.get('/actuator/prometheus')],
    [200, 'information', () => admin.get('/actuator/info')],
    [200, 'HEAD', () => user.send('HEAD', '/api/properties')],
    [200, 'a deletion', async () => user.delete(`/api/properties/${(await createProperty(user)).id}`)],
    [201, 'a sign-up', () => signUp(service.anonymous, signUpRequest())],
    [204, 'a preflight', () => preflight({ origin: APP })],
    [204, 'a preflight of another origin', () => preflight({ origin: 'https://evil.example' })],
    [
      304,
      'an unchanged resource',
      () => user.get(`/api/properties/${property.id}`, { 'if-none-match': '*' }),
    ],
    [400, 'invalid fields', () => user.post('/api/properties', {})],
    [400, 'malformed JSON', () => user.post('/api/properties', '{')],
    [400, 'a malformed URL', () => user.get('/%zz')],
    [400, 'a missing Host', () => sendBytes(service.url, 'GET / HTTP/1.1\r\n\r\n')],
    [400, 'a request line that is garbage', () => sendBytes(service.url, 'garbage\r\n\r\n')],
    [401, 'no token', () => service.anonymous.get('/api/users/me')],
    [401, 'wrong credentials', () => signIn(service.anonymous, { ...known, password: 'wrong' })],
    [403, 'a missing role', () => user.get('/api/users')],
    [404, 'a missing resource', () => user.get('/api/properties/0')],
    [404, 'an unknown path', () => user.get('/none')],
    [405, 'another method', () => user.send('PATCH', '/api/properties')],
    [405, 'CONNECT', () => sendBytes(service.url, 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n')],
    [408, 'a slow header', () => slowly('GET / HTTP/1.1\r\nHost:')],
    [
      408,
      'a slow body',
      () =>
        slowly(
          requestText('POST /api/auth/signin HTTP/1.1', [
            'Content-Type: application/json',
            'Content-Length: 9',
          ]),
        ),
    ],
    [409, 'a taken name', () => signUp(service.anonymous, known)],
    [409, 'a parent', () => user.delete(`/api/properties/${property.id}`)],
    [413, 'a large body', () => user.post('/api/properties', 'x'.repeat(2 ** 20 + 1))],
    [414, 'a long URL', () => user.get(`/${'x'.repeat(9000)}`)],
    [414, 'a URL past what Node reads', () => raw(`GET /${'x'.repeat(20_000)} HTTP/1.1`)],
    [415, 'text', () => user.post('/api/properties', 'x', { 'content-type': 'text/plain' })],
    [417, 'an unknown Expect', () => raw('GET /api/users/me HTTP/1.1', bearer(user), 'Expect: foo')],
    [431, 'large headers', () => raw('GET / HTTP/1.1', `X-Big: ${'x'.repeat(20_000)}`)],
    [500, 'an unexpected failure', () => failing()],
    [503, 'a database that is away', () => unavailable()],
  ];

  async function failing(): Promise<Answer> {
    jest.spyOn(service.app.get(AuthService), 'signIn').mockRejectedValueOnce(new Error('broken'));
    return signIn(service.anonymous, known);
  }

  async function unavailable(): Promise<Answer> {
    const database = service.app.get(Database);
    database.ready = false;
    return user.get('/api/users/me').finally(() => (database.ready = true));
  }

  it.each(ANSWERS)('are complete on %i, %s', async (status, _, send) => {
    const answer = await send();
    expect({ status: answer.status, faults: headerFaults(answer) }).toEqual({ status, faults: [] });
  });

  it('say what the body is, and nothing of a body that is not there', async () => {
    const typeOf = async (sent: Promise<Told>): Promise<string | null> =>
      (await sent).headers.get('content-type');
    expect(await typeOf(user.get('/api/properties'))).toMatch(/^application\/json(; charset=utf-8)?$/);
    expect(await typeOf(user.get('/none'))).toBe('application/problem+json');
    const created = await createProperty(user);
    expect(await typeOf(user.delete(`/api/properties/${created.id}`))).toBeNull();
    expect(await typeOf(user.get(`/api/properties/${property.id}`, { 'if-none-match': '*' }))).toBeNull();
  });
});

describe('X-Request-Id', () => {
  const idFor = async (...given: string[]): Promise<string | null> => {
    const headers = [bearer(user), ...given.map((id) => `X-Request-Id: ${id}`)];
    return (await sendBytes(service.url, requestText('GET /api/users/me HTTP/1.1', headers))).headers.get(
      'x-request-id',
    );
  };

  it.each(['a', '0', 'A-Za-z0-9._-', '...', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'x'.repeat(64)])(
    '%s is echoed',
    async (id) => {
      expect(await idFor(id)).toBe(id);
    },
  );

  it.each([
    ['empty', ''],
    ['65 characters', 'x'.repeat(65)],
    ['with a blank', 'a b'],
    ['with a semicolon', 'a;b'],
    ['with a comma', 'a,b'],
    ['in quotes', '"a"'],
    ['with a slash', 'a/b'],
    ['with an escape of a line end', 'a%0d%0aSet-Cookie:x'],
    ['with letters outside of ASCII', 'caf\u00e9'],
    ['with a tab', 'a\tb'],
    ['in markup', '<script>'],
  ])('that is %s is replaced', async (_, id) => {
    expect(await idFor(id)).toMatch(UUID);
  });

  it('that comes twice is replaced', async () => {
    expect(await idFor('a', 'b')).toMatch(UUID);
  });

  it('that is missing is made, another one each time', async () => {
    const [one, other] = [await idFor(), await idFor()];
    expect(one).toMatch(UUID);
    expect(other).toMatch(UUID);
    expect(one).not.toBe(other);
  });

  it('is echoed on refusals, too', async () => {
    const given = { 'x-request-id': 'mine' };
    for (const answer of [
      await service.anonymous.get('/api/users/me', given),
      await user.get('/none', given),
      await user.get('/%zz', given),
      await user.post('/api/properties', '{', given),
      await user.send('PATCH', '/api/properties', { headers: given }),
    ])
      expect(answer.headers.get('x-request-id')).toBe('mine');
  });
});

/** The CORS headers of an answer; Vary is none of them. */
function corsHeaders({ headers }: Told): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

const namesIn = (list: string | null | undefined): string[] =>
  (list ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .sort();

function preflight(
  {
    origin,
    path = '/api/properties',
    method = 'PUT',
    asked = 'authorization,content-type',
  }: { origin: string; path?: string; method?: string; asked?: string },
  to: Service = service,
): Promise<WireAnswer> {
  const headers = [
    `Origin: ${origin}`,
    `Access-Control-Request-Method: ${method}`,
    `Access-Control-Request-Headers: ${asked}`,
  ];
  return sendBytes(to.url, requestText(`OPTIONS ${path} HTTP/1.1`, headers));
}

const OTHER_ORIGINS = [
  'https://evil.example',
  'https://app.example.com.evil.example',
  'https://evil-app.example.com',
  'https://sub.app.example.com',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://app.example.com/',
  'https://app.example.com@evil.example',
  'http://localhost',
  'http://localhost:5174',
  'null',
  '*',
  'https://*.example.com',
  'https://app.example.com, http://localhost:5173',
  'file://',
];

describe('a request of an allowed origin', () => {
  const GRANTED = (origin: string): object => ({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': expect.stringMatching(/./) as string,
  });

  it.each([APP, LOCAL])('%s may be read by it, and by it alone', async (origin) => {
    const answer = await user.get('/api/properties', { origin });
    expect(answer.status).toBe(200);
    expect(corsHeaders(answer)).toEqual(GRANTED(origin));
    expect(namesIn(answer.headers.get('access-control-expose-headers'))).toEqual([
      'etag',
      'location',
      'x-request-id',
    ]);
    expect(namesIn(answer.headers.get('vary'))).toContain('origin');
  });

  it.each<[name: string, slug: string, send: (headers: Record<string, string>) => Promise<Answer>]>([
    ['400', 'validation-failed', (headers) => user.post('/api/properties', {}, headers)],
    ['400 of the body', 'malformed-request', (headers) => user.post('/api/properties', '{', headers)],
    ['401', 'authentication-required', (headers) => service.anonymous.get('/api/users/me', headers)],
    ['403', 'access-denied', (headers) => user.get('/api/users', headers)],
    ['404', 'not-found', (headers) => user.get('/api/properties/0', headers)],
    ['404 of the path', 'not-found', (headers) => user.get('/none', headers)],
    ['405', 'method-not-allowed', (headers) => user.send('PATCH', '/api/properties', { headers })],
    ['413', 'payload-too-large', (headers) => user.post('/api/properties', 'x'.repeat(2 ** 20 + 1), headers)],
    [
      '415',
      'unsupported-media-type',
      (headers) => user.post('/api/properties', 'x', { ...headers, 'content-type': 'text/plain' }),
    ],
  ])('may be read by it when it is refused, too, with %s', async (_, slug, send) => {
    const answer = await send({ origin: APP });
    expectDocument(answer, slug);
    expect(corsHeaders(answer)).toEqual(GRANTED(APP));
  });
});

describe('a request of another origin', () => {
  it.each(OTHER_ORIGINS)('%s is answered as ever, without CORS headers', async (origin) => {
    const headers = [`Origin: ${origin}`, bearer(user)];
    const answer = await sendBytes(service.url, requestText('GET /api/properties HTTP/1.1', headers));
    expect({ status: answer.status, cors: corsHeaders(answer) }).toEqual({ status: 200, cors: {} });
    expect(namesIn(answer.headers.get('vary'))).toContain('origin');
    const signIn = requestText(
      'POST /api/auth/signin HTTP/1.1',
      [`Origin: ${origin}`, 'Content-Type: application/json'],
      '{}',
    );
    const refused = await sendBytes(service.url, signIn);
    expect({ status: refused.status, cors: corsHeaders(refused) }).toEqual({ status: 400, cors: {} });
  });

  it('none is answered without CORS headers', async () => {
    expect(corsHeaders(await user.get('/api/properties'))).toEqual({});
  });
});

describe('a preflight of an allowed origin', () => {
  it.each([
    ['a path of the caller', '/api/properties'],
    ['a path for ADMIN', '/api/users/1'],
    ['an actuator path', '/actuator/prometheus'],
    ['the sign-in', '/api/auth/signin'],
    ['a path that is not there', '/none/at/all'],
  ])('is answered before the authentication: %s', async (_, path) => {
    const answer = await preflight({ origin: APP, path });
    expect({
      status: answer.status,
      text: answer.text,
      length: answer.headers.get('content-length'),
    }).toEqual({
      status: 204,
      text: '',
      length: expect.stringMatching(/^0$/) as string,
    });
    expect(corsHeaders(answer)).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-max-age': '3600',
    });
    expect(corsHeaders(answer)).not.toHaveProperty('access-control-allow-credentials');
    expect(namesIn(answer.headers.get('vary'))).toContain('origin');
  });

  it('names the methods and headers that the service has, whatever was asked for', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'FROBNICATE']) {
      const { headers } = await preflight({ origin: APP, method });
      expect(namesIn(headers.get('access-control-allow-methods'))).toEqual([
        'delete',
        'get',
        'options',
        'post',
        'put',
      ]);
      expect(namesIn(headers.get('access-control-allow-headers'))).toEqual([
        'accept',
        'authorization',
        'content-type',
        'if-match',
        'if-none-match',
        'x-request-id',
      ]);
    }
  });
});

it('a preflight that asks for Idempotency-Key is told that it may be sent', async () => {
  const { headers } = await preflight({ origin: APP, asked: 'content-type, Idempotency-Key' });
  expect(namesIn(headers.get('access-control-allow-headers'))).toContain('idempotency-key');
});

describe('a preflight of another origin', () => {
  it.each(OTHER_ORIGINS)('%s gets no CORS headers and never a 403', async (origin) => {
    for (const path of ['/api/properties', '/actuator/prometheus', '/none']) {
      const answer = await preflight({ origin, path });
      expect({ status: answer.status, cors: corsHeaders(answer) }).toEqual({ status: 204, cors: {} });
    }
  });
});

describe('OPTIONS that is no preflight', () => {
  it.each([
    ['without Origin', ['Access-Control-Request-Method: GET']],
    ['without either', []],
  ])('%s is authenticated like everything else', async (_, headers) => {
    const line = 'OPTIONS /api/properties HTTP/1.1';
    expectDocument(await sendBytes(service.url, requestText(line, headers)), 'authentication-required');
    const answer = await sendBytes(service.url, requestText(line, [...headers, bearer(user)]));
    expectDocument(answer, 'method-not-allowed', '/api/properties');
  });

  it('of another origin is authenticated, too', async () => {
    const text = requestText('OPTIONS /api/properties HTTP/1.1', ['Origin: https://evil.example']);
    expectDocument(await sendBytes(service.url, text), 'authentication-required');
  });

  it('of an allowed origin is answered with no more than the policy', async () => {
    const answer = await sendBytes(
      service.url,
      requestText('OPTIONS /api/users HTTP/1.1', [`Origin: ${APP}`]),
    );
    expect([204, 401]).toContain(answer.status);
    expect(answer.headers.get('access-control-allow-origin')).toBe(APP);
  });
});

describe('without any allowed origin', () => {
  let closed: Service;
  let caller: Account;

  beforeAll(async () => {
    closed = await startService({ CORS_ALLOWED_ORIGINS: '' });
    caller = await closed.account();
  });

  it.each([APP, 'null', '*'])('%s gets no CORS headers, and its preflight no refusal', async (origin) => {
    const answer = await caller.get('/api/properties', { origin });
    expect({ status: answer.status, cors: corsHeaders(answer) }).toEqual({ status: 200, cors: {} });
    for (const path of ['/api/properties', '/actuator/prometheus', '/none']) {
      const asked = await preflight({ origin, path }, closed);
      expect({ status: asked.status, cors: corsHeaders(asked) }).toEqual({ status: 204, cors: {} });
    }
  });
});

describe('the connection of an answer', () => {
  it('is kept alive after answers and refusals that have read the whole request', async () => {
    const wire = await Wire.open(service.url);
    for (const [path, status] of [
      ['/api/users/me', 200],
      ['/none', 404],
      ['/api/users', 403],
      ['/api/users/me', 200],
    ] as const) {
      const answer = await wire.send(requestText(`GET ${path} HTTP/1.1`, [bearer(user)])).answer();
      expect({ status: answer.status, connection: answer.headers.get('connection') }).toEqual({
        status,
        connection: 'keep-alive',
      });
    }
    wire.destroy();
  });

  it('is closed when the client asks for it', async () => {
    const wire = await Wire.open(service.url);
    wire.send(requestText('GET /api/users/me HTTP/1.1', [bearer(user), 'Connection: close']));
    expect((await wire.answer()).headers.get('connection')).toBe('close');
    await wire.closed();
    expect(wire.unread).toBe('');
  });
});
