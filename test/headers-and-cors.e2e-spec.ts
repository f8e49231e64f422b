import type { Answer } from './support/client.js';
import { expectDocument, headerFaults } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes, type WireAnswer } from './support/wire.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const APP = 'https://app.example.com';
const LOCAL = 'http://localhost:5173';

let service: Service;
let user: Account;
let bearer: string;

// Every answer that any test gets is searched for the headers that all must have: support/conformance.ts.
beforeAll(async () => {
  service = await startService({ CORS_ALLOWED_ORIGINS: `${APP}, ${LOCAL}` });
  user = await service.account();
  bearer = `Authorization: Bearer ${user.token!}`;
});

const send = (line: string, headers: readonly string[], to = service): Promise<WireAnswer> =>
  sendBytes(to.url, requestText(`${line} HTTP/1.1`, headers));

describe('X-Request-Id', () => {
  const idFor = async (...given: string[]): Promise<string | null> => {
    const { headers } = await send('GET /api/users/me', [
      bearer,
      ...given.map((id) => `X-Request-Id: ${id}`),
    ]);
    return headers.get('x-request-id');
  };

  it.each(['a', 'A-Za-z0-9._-', 'x'.repeat(64)])('%s is echoed', async (id) => {
    expect(await idFor(id)).toBe(id);
  });

  it.each([
    [['']],
    [['x'.repeat(65)]],
    [['a b']],
    [['a,b']],
    [['a%0d%0aSet-Cookie:x']],
    [['caf\u00e9']],
    [['a', 'b']],
    [[]],
  ])('of %j is replaced, by another one each time', async (ids) => {
    const [one, other] = [await idFor(...ids), await idFor(...ids)];
    expect(one).toMatch(UUID);
    expect(other).toMatch(UUID);
    expect(one).not.toBe(other);
  });

  it('is echoed on refusals', async () => {
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

/** The CORS headers of a response; Vary is none of them. */
function corsHeaders({ headers }: Pick<WireAnswer, 'headers'>): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

const namesIn = ({ headers }: Pick<WireAnswer, 'headers'>, name: string): string[] =>
  (headers.get(name) ?? '').toLowerCase().split(/, */).sort();

const preflight = (
  origin: string,
  path: string,
  asked: string,
  method = 'PUT',
  to = service,
): Promise<WireAnswer> =>
  send(
    `OPTIONS ${path}`,
    [
      `Origin: ${origin}`,
      `Access-Control-Request-Method: ${method}`,
      `Access-Control-Request-Headers: ${asked}`,
    ],
    to,
  );

describe('a request of an allowed origin', () => {
  it.each([APP, LOCAL])('%s may be read by it, and by it alone', async (origin) => {
    const answer = await user.get('/api/properties', { origin });
    expect(answer.status).toBe(200);
    expect(Object.keys(corsHeaders(answer))).toEqual([
      'access-control-allow-origin',
      'access-control-expose-headers',
    ]);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(namesIn(answer, 'access-control-expose-headers')).toEqual(['etag', 'location', 'x-request-id']);
    expect(namesIn(answer, 'vary')).toContain('origin');
  });

  it.each<[slug: string, refused: (headers: Record<string, string>) => Promise<Answer>]>([
    ['validation-failed', (headers) => user.post('/api/properties', {}, headers)],
    ['authentication-required', (headers) => service.anonymous.get('/api/users/me', headers)],
    ['not-found', (headers) => user.get('/none', headers)],
    ['method-not-allowed', (headers) => user.send('PATCH', '/api/properties', { headers })],
    ['payload-too-large', (headers) => user.post('/api/properties', 'x'.repeat(2 ** 20 + 1), headers)],
  ])('may be read by it when it is refused with %s', async (slug, refused) => {
    const answer = await refused({ origin: APP });
    expectDocument(answer, slug);
    expect(answer.headers.get('access-control-allow-origin')).toBe(APP);
  });
});

describe('a request of another origin, and its preflight,', () => {
  let closed: Service;
  beforeAll(async () => {
    closed = await startService({ CORS_ALLOWED_ORIGINS: '' }, service.settings.database.url);
  });

  it.each([
    ...['https://evil.example', 'https://app.example.com.evil.example', 'https://sub.app.example.com'],
    ...['http://app.example.com', 'https://app.example.com:8443', 'https://app.example.com/'],
    ...['https://app.example.com@evil.example', `${APP}, ${LOCAL}`, 'null', '*'],
  ])('%s are answered without CORS headers', async (origin) => {
    await expectNothingGranted(service, origin);
    const answer = await send('GET /api/properties', [`Origin: ${origin}`, bearer]);
    expect(namesIn(answer, 'vary')).toContain('origin');
  });

  it.each([APP, 'null', '*'])('%s are so where no origin is allowed', (origin) =>
    expectNothingGranted(closed, origin),
  );

  async function expectNothingGranted(by: Service, origin: string): Promise<void> {
    const answer = await send('GET /api/properties', [`Origin: ${origin}`, bearer], by);
    expect([answer.status, corsHeaders(answer)]).toEqual([200, {}]);
    for (const path of ['/api/properties', '/actuator/prometheus', '/none']) {
      const asked = await preflight(origin, path, 'authorization', 'PUT', by);
      expect([asked.status, corsHeaders(asked), headerFaults(asked)]).toEqual([204, {}, []]);
    }
  }

  it('that names none is answered without CORS headers', async () => {
    expect(corsHeaders(await user.get('/api/properties'))).toEqual({});
  });
});

describe('a preflight of an allowed origin', () => {
  it.each(['/api/properties', '/api/users/1', '/actuator/prometheus', '/api/auth/signin', '/none/at/all'])(
    'of %s is answered before the authentication, whatever method is asked for',
    async (path) => {
      for (const method of ['GET', 'PATCH', 'FROBNICATE']) {
        const answer = await preflight(APP, path, 'authorization,content-type', method);
        expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([204, '', null]);
        expect(headerFaults(answer)).toEqual([]);
        expect(answer.headers.get('access-control-allow-origin')).toBe(APP);
        expect(answer.headers.get('access-control-max-age')).toBe('3600');
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
        expect(namesIn(answer, 'vary')).toContain('origin');
        const methods = ['delete', 'get', 'options', 'post', 'put'];
        expect(namesIn(answer, 'access-control-allow-methods')).toEqual(methods);
        const headers = [
          'accept',
          'authorization',
          'content-type',
          'if-match',
          'if-none-match',
          'x-request-id',
        ];
        expect(namesIn(answer, 'access-control-allow-headers')).toEqual(headers);
      }
    },
  );

  it('that asks for Idempotency-Key is granted it', async () => {
    const answer = await preflight(APP, '/api/properties', 'content-type, Idempotency-Key');
    expect(namesIn(answer, 'access-control-allow-headers')).toContain('idempotency-key');
  });
});

describe('OPTIONS that is no preflight', () => {
  const OPTIONS = 'OPTIONS /api/properties';

  it.each([
    [['Access-Control-Request-Method: GET']],
    [[]],
    [['Origin: https://evil.example']],
    [[`Origin: ${APP}`]],
  ])('with %j is authenticated like everything else', async (headers) => {
    expectDocument(await send(OPTIONS, headers), 'authentication-required');
    const answer = await send(OPTIONS, [...headers, bearer]);
    expectDocument(answer, 'method-not-allowed', '/api/properties');
  });
});
