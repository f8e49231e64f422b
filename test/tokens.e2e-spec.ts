import { Tokens } from '../src/auth/tokens.js';
import { Client } from './support/client.js';
import { propertyRequest } from './support/factories.js';
import { FORGERIES, type Forgery, forged, OTHER_SECRET } from './support/forgeries.js';
import { claimsOf, contentOf, forge, inSeconds } from './support/forged-token.js';
import { outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';
import { TEST_SECRET } from './support/settings.js';
import { signUp, signUpRequest, userIn } from './support/sign-up.js';

const CHALLENGE = 'Bearer realm="property-finance"';
const INVALID_TOKEN = `${CHALLENGE}, error="invalid_token"`;
const ACCEPTED = ['200', null];
const REFUSED = ['401 authentication-required', INVALID_TOKEN];
const OTHER_CLAIMS = { iss: 'x', aud: ['y'], jti: 'z', role: 'ADMIN' };
const ANY_TEXT = expect.any(String) as string;

/** Issued so many seconds from now. */
const ahead = (seconds: number): { iat: number; exp: number } => ({
  iat: inSeconds(seconds),
  exp: inSeconds(seconds + 600),
});
const UNAUTHENTICATED = ['401 authentication-required', CHALLENGE];

describe('a bearer token', () => {
  let service: Service;
  let user: Account;
  let admin: Account;

  beforeAll(async () => {
    service = await startService();
    user = await service.account();
    admin = await service.account('ADMIN'); // the next id after the user's
  });

  const withToken = (token: string): Client => new Client(service.url, token);

  describe('is accepted', () => {
    it.each<Forgery>([
      ['as the service makes it', (account) => forge({ payload: claimsOf(account) })],
      ['issued 55 s ahead', (account) => forge({ payload: claimsOf(account, ahead(55)) })],
      forged('with a minute more than configured', { claims: { iat: inSeconds(0), exp: inSeconds(3660) } }),
      forged('without authorities', { claims: { authorities: undefined } }),
      forged('with other claims', { claims: { ...OTHER_CLAIMS, nbf: inSeconds(-60) } }),
      forged('without typ', { header: { alg: 'HS256' } }),
    ])('%s', async (_, make) => {
      const answer = await withToken(make(user)).get('/api/users/me');
      expect([answer.status, answer.json]).toMatchObject([200, { id: Number(user.id), role: 'USER' }]);
    });
  });

  describe.each(FORGERIES)('gets 401 for %s:', (_, forgeries) => {
    it.each(forgeries)('%s', async (_name, make) => {
      const answer = await withToken(make(user)).get('/api/users/me');
      expect([outcomeOf(answer), answer.headers.get('www-authenticate')]).toEqual(REFUSED);
    });
  });

  describe('is read from the request', () => {
    const sent = async (headers: string[], path = '/api/users/me'): Promise<unknown> => {
      const [target = '', ...given] = [path, ...headers].map((text) => text.replaceAll('TOKEN', user.token!));
      const answer = await service.anonymous.send('GET', target, { headers: given });
      return [outcomeOf(answer), answer.headers.get('www-authenticate')];
    };

    it.each<[expected: unknown, ...headers: string[]]>([
      [ACCEPTED, 'authorization', 'Bearer TOKEN'],
      [ACCEPTED, 'authorization', 'bearer TOKEN'],
      [ACCEPTED, 'authorization', 'Bearer  TOKEN'],
      [ACCEPTED, 'authorization', ' \tBearer TOKEN \t'],
      [REFUSED, 'authorization', 'Bearer TOKEN junk'],
      [REFUSED, 'authorization', 'Bearer TOKEN, Bearer TOKEN'],
      [REFUSED, 'authorization', 'Bearer "TOKEN"'],
      [UNAUTHENTICATED, 'authorization', ''],
      [UNAUTHENTICATED, 'authorization', 'Bearer'],
      [UNAUTHENTICATED, 'authorization', 'TOKEN'],
      [UNAUTHENTICATED, 'authorization', 'BearerTOKEN'],
      [UNAUTHENTICATED, 'authorization', 'Basic dXNlcjpwYXNzd29yZA=='],
      [REFUSED, 'authorization', 'Bearer TOKEN', 'authorization', 'Bearer TOKEN'],
      [REFUSED, 'authorization', 'Bearer TOKEN', 'authorization', 'Bearer bad'],
      [REFUSED, 'authorization', 'Bearer bad', 'authorization', 'Bearer TOKEN'],
      [REFUSED, 'authorization', 'Bearer TOKEN', 'authorization', ''],
      [UNAUTHENTICATED, 'cookie', 'accessToken=TOKEN; Authorization=Bearer TOKEN'],
      [UNAUTHENTICATED, 'proxy-authorization', 'Bearer TOKEN'],
      [UNAUTHENTICATED, 'x-authorization', 'Bearer TOKEN'],
    ])('%j with the headers %j %j %j %j', async (expected, ...headers) => {
      expect(await sent(headers)).toEqual(expected);
    });

    it('never from the query or the body', async () => {
      const { token } = user;
      expect(await sent([], `/api/users/me?access_token=TOKEN&token=TOKEN`)).toEqual(UNAUTHENTICATED);
      const answer = await service.anonymous.post('/api/properties', { ...propertyRequest(), token });
      expect(outcomeOf(answer)).toBe('401 authentication-required');
    });
  });

  it.each<[string, () => string[]]>([
    ['an expired token', () => [forge({ payload: claimsOf(user, { exp: inSeconds(-60) }) })]],
    ['a token of a deleted account', () => [forge({ payload: claimsOf({ id: '987654321' }) })]],
    ['a token of another key', () => [forge({ payload: claimsOf(admin), secret: OTHER_SECRET })]],
    ['two tokens', () => ['bad', 'worse']],
  ])('is ignored on public paths: %s', async (_, tokens) => {
    const headers = tokens().flatMap((token) => ['authorization', `Bearer ${token}`]);
    const send = async (method: string, path: string, body?: string): Promise<string[]> => {
      const type = body === undefined ? [] : ['content-type', 'application/json'];
      const answer = await service.anonymous.send(method, path, { headers: [...headers, ...type], body });
      return [outcomeOf(answer), answer.text];
    };
    expect(await send('GET', '/actuator/health')).toEqual(['200', '{"status":"UP"}']);
    const request = signUpRequest();
    expect(await send('POST', '/api/auth/signup', JSON.stringify(request))).toEqual(['201', ANY_TEXT]);
    expect(await send('POST', '/api/auth/signin', JSON.stringify(request))).toEqual(['200', ANY_TEXT]);
  });

  it.each<[string, unknown]>([
    ['403 access-denied', ['ROLE_ADMIN']],
    ['403 access-denied', 'ROLE_ADMIN'],
    ['200', ['ROLE_USER']],
    ['200', undefined],
  ])('has the role of its account, not of its claims: %s with %j', async (outcome, authorities) => {
    const claims = { authorities, role: 'ADMIN', roles: ['ADMIN'], scope: 'ADMIN' };
    const account = outcome === '200' ? admin : user;
    const client = withToken(forge({ payload: claimsOf(account, claims) }));
    expect(outcomeOf(await client.get('/api/users'))).toBe(outcome);
  });

  // Instances change the secret in turn: docs/operations.md.
  describe('with JWT_SECRET_PREVIOUS', () => {
    let rotated: Service;
    beforeAll(async () => (rotated = await startService({ JWT_SECRET_PREVIOUS: OTHER_SECRET })));

    it.each<[unknown[], string, object]>([
      [ACCEPTED, 'JWT_SECRET', { secret: TEST_SECRET }],
      [ACCEPTED, 'JWT_SECRET_PREVIOUS', { secret: OTHER_SECRET }],
      [REFUSED, 'another secret', { secret: 'a-secret-that-is-nowhere-configured-0123' }],
      [REFUSED, 'the previous one, expired', { secret: OTHER_SECRET, exp: inSeconds(-1) }],
      [REFUSED, 'the previous one, for too long', { secret: OTHER_SECRET, exp: inSeconds(7200) }],
    ])(
      'gets %j when it is signed with %s',
      async (outcome, _, { secret, ...claims }: { secret?: string }) => {
        const token = forge({ payload: claimsOf(await rotated.account(), claims), secret });
        const answer = await new Client(rotated.url, token).get('/api/users/me');
        expect([outcomeOf(answer), answer.headers.get('www-authenticate')]).toEqual(outcome);
      },
    );

    it('is signed with JWT_SECRET', () => {
      const token = rotated.app.get(Tokens).issue({ id: '1', role: 'USER' });
      const [header, payload] = [contentOf(token, 0), contentOf(token, 1)];
      expect(token).toBe(forge({ header, payload, secret: TEST_SECRET }));
    });
  });

  it('gets 401 after its account was deleted, even when the name is registered again', async () => {
    const request = signUpRequest();
    const { id } = userIn(await signUp(service.anonymous, request));
    const old = withToken(service.app.get(Tokens).issue({ id: String(id), role: 'USER' }));
    expect(outcomeOf(await old.get('/api/users/me'))).toBe('200');
    await admin.delete(`/api/users/${id}`);
    expect(outcomeOf(await signUp(service.anonymous, request))).toBe('201');
    for (const path of ['/api/users/me', '/no/such/path']) {
      const answer = await old.get(path);
      expect([outcomeOf(answer), answer.headers.get('www-authenticate')]).toEqual(REFUSED);
    }
  });
});
