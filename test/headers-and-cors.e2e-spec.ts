import type { Answer } from './support/client.js';
import { expectDocument, headerFaults } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes, Wire, type WireAnswer } from './support/wire.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const APP = 'https://app.example.com';
const LOCAL = 'http://localhost:5173';

type Told = Pick<WireAnswer, 'status' | 'headers' | 'text'>;

let service: Service;
let user: Account;

// The headers that every answer must have are looked for in each answer that any test gets: support/conformance.ts.
beforeAll(async () => {
  service = await startService({ CORS_ALLOWED_ORIGINS: `${APP}, ${LOCAL}` });
  user = await service.account();
});

const bearer = (): string => `Authorization: Bearer ${user.token!}`;

describe('X-Request-Id', () => {
  const idFor = async (...given: string[]): Promise<string | null> => {
    const headers = [bearer(), ...given.map((id) => `X-Request-Id: ${id}`)];
    return (await sendBytes(service.url, requestText('GET /api/users/me HTTP/1.1', headers))).headers.get(
      'x-request-id',
    );
  };

  it.each(['a', 'A-Za-z0-9._-', 'x'.repeat(64)])('%s is echoed', async (id) => {
    expect(await idFor(id)).toBe(id);
  });

  it.each([
    ['empty', ['']],
    ['65 characters', ['x'.repeat(65)]],
    ['with a blank', ['a b']],
    ['with a comma', ['a,b']],
    ['with an escape of a line end', ['a%0d%0aSet-Cookie:x']],
    ['with letters outside of ASCII', ['caf\u00e9']],
    ['there twice', ['a', 'b']],
  ])('that is %s is replaced', async (_, ids) => {
    expect(await idFor(...ids)).toMatch(UUID);
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
  to = service,
): Promise<WireAnswer> {
  const headers = [
    `Origin: ${origin}`,
    `Access-Control-Request-Method: ${method}`,
    `Access-Control-Request-Headers: ${asked}`,
  ];
  return sendBytes(to.url, requestText(`OPTIONS ${path} HTTP/1.1`, headers));
}

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

  it.each<[slug: string, send: (headers: Record<string, string>) => Promise<Answer>]>([
    ['validation-failed', (headers) => user.post('/api/properties', {}, headers)],
    ['authentication-required', (headers) => service.anonymous.get('/api/users/me', headers)],
    ['not-found', (headers) => user.get('/none', headers)],
    ['method-not-allowed', (headers) => user.send('PATCH', '/api/properties', { headers })],
    ['payload-too-large', (headers) => user.post('/api/properties', 'x'.repeat(2 ** 20 + 1), headers)],
  ])('may be read by it when it is refused, too, with %s', async (slug, send) => {
    const answer = await send({ origin: APP });
    expectDocument(answer, slug);
    expect(corsHeaders(answer)).toEqual(GRANTED(APP));
  });
});

describe('a request of another origin, and its preflight,', () => {
  let closed: Service;
  beforeAll(async () => {
    closed = await startService({ CORS_ALLOWED_ORIGINS: '' }, service.settings.database.url);
  });

  it.each([
    'https://evil.example',
    'https://app.example.com.evil.example',
    'https://sub.app.example.com',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com/',
    'https://app.example.com@evil.example',
    `${APP}, ${LOCAL}`,
    'null',
    '*',
  ])('%s are answered as ever, without CORS headers', (origin) => expectNothingGranted(service, origin));

  it.each([APP, 'null', '*'])('%s are so where no origin is allowed', (origin) =>
    expectNothingGranted(closed, origin),
  );

  async function expectNothingGranted(by: Service, origin: string): Promise<void> {
    const request = requestText('GET /api/properties HTTP/1.1', [`Origin: ${origin}`, bearer()]);
    const answer = await sendBytes(by.url, request);
    expect({ status: answer.status, cors: corsHeaders(answer) }).toEqual({ status: 200, cors: {} });
    if (by === service) expect(namesIn(answer.headers.get('vary'))).toContain('origin');
    for (const path of ['/api/properties', '/actuator/prometheus', '/none']) {
      const asked = await preflight({ origin, path }, by);
      expect({ status: asked.status, cors: corsHeaders(asked) }).toEqual({ status: 204, cors: {} });
      expect(headerFaults(asked)).toEqual([]);
    }
  }

  it('that names none is answered without CORS headers', async () => {
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
    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([204, '', '0']);
    expect(headerFaults(answer)).toEqual([]);
    expect(corsHeaders(answer)).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-max-age': '3600',
    });
    expect(corsHeaders(answer)).not.toHaveProperty('access-control-allow-credentials');
    expect(namesIn(answer.headers.get('vary'))).toContain('origin');
  });

  it('names the methods and headers that the service has, whatever was asked for', async () => {
    for (const method of ['GET', 'PATCH', 'FROBNICATE']) {
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

describe('OPTIONS that is no preflight', () => {
  it.each([
    ['without Origin', ['Access-Control-Request-Method: GET']],
    ['without either', []],
  ])('%s is authenticated like everything else', async (_, headers) => {
    const line = 'OPTIONS /api/properties HTTP/1.1';
    expectDocument(await sendBytes(service.url, requestText(line, headers)), 'authentication-required');
    const answer = await sendBytes(service.url, requestText(line, [...headers, bearer()]));
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
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(APP);
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
      const answer = await wire.send(requestText(`GET ${path} HTTP/1.1`, [bearer()])).answer();
      expect({ status: answer.status, connection: answer.headers.get('connection') }).toEqual({
        status,
        connection: 'keep-alive',
      });
    }
    wire.destroy();
  });

  it('is closed when the client asks for it', async () => {
    const wire = await Wire.open(service.url);
    wire.send(requestText('GET /api/users/me HTTP/1.1', [bearer(), 'Connection: close']));
    expect((await wire.answer()).headers.get('connection')).toBe('close');
    await wire.closed();
    expect(wire.unread).toBe('');
  });
});
