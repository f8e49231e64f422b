import { Tokens } from '../src/auth/tokens.js';
import { UsersService } from '../src/users/users.service.js';
import { Client } from './support/client.js';
import { sendExactly } from './support/exact-request.js';
import { createProperty, propertyRequest } from './support/factories.js';
import { FORGERIES, type Forgery, forged, OTHER_SECRET } from './support/forgeries.js';
import { claimsOf, forge, inSeconds } from './support/forged-token.js';
import { outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';
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
      const answer = await sendExactly(service.url, { path, headers });
      return [outcomeOf(answer), answer.headers.get('www-authenticate')];
    };

    it.each<[string, (token: string) => string, unknown]>([
      ['Bearer', (token) => `Bearer ${token}`, ACCEPTED],
      ['bearer', (token) => `bearer ${token}`, ACCEPTED],
      ['two spaces', (token) => `Bearer  ${token}`, ACCEPTED],
      ['white space around the value', (token) => ` \tBearer ${token} \t`, ACCEPTED],
      ['a word after the token', (token) => `Bearer ${token} junk`, REFUSED],
      ['a list of two', (token) => `Bearer ${token}, Bearer ${token}`, REFUSED],
      ['the token in quotes', (token) => `Bearer "${token}"`, REFUSED],
      ['nothing', () => '', UNAUTHENTICATED],
      ['the scheme alone', () => 'Bearer', UNAUTHENTICATED],
      ['the token alone', (token) => token, UNAUTHENTICATED],
      ['no space', (token) => `Bearer${token}`, UNAUTHENTICATED],
      ['Basic', () => `Basic ${Buffer.from('user:password').toString('base64')}`, UNAUTHENTICATED],
    ])('with %s', async (_, value, expected) => {
      expect(await sent(['authorization', value(user.token!)])).toEqual(expected);
    });

    it.each([
      ['Bearer TOKEN', 'Bearer TOKEN'],
      ['Bearer TOKEN', 'Bearer bad'],
      ['Bearer bad', 'Bearer TOKEN'],
      ['Bearer TOKEN', ''],
    ])('never with two Authorization headers: "%s" and "%s"', async (...values) => {
      const headers = values.map((value) => value.replace('TOKEN', user.token!));
      expect(await sent(headers.flatMap((value) => ['authorization', value]))).toEqual(REFUSED);
    });

    it('never from the query, a cookie, another header or the body', async () => {
      const token = user.token!;
      expect(await sent([], `/api/users/me?access_token=${token}&token=${token}`)).toEqual(UNAUTHENTICATED);
      for (const [name, value] of [
        ['cookie', `accessToken=${token}; Authorization=Bearer ${token}`],
        ['proxy-authorization', `Bearer ${token}`],
        ['x-authorization', `Bearer ${token}`],
      ] as const)
        expect(await sent([name, value])).toEqual(UNAUTHENTICATED);
      const body = { ...propertyRequest(), access_token: token };
      const answer = await service.anonymous.post('/api/properties', body);
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
      const answer = await sendExactly(service.url, { method, path, headers: [...headers, ...type], body });
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

  it('has a changed role at the next request', async () => {
    const account = await service.account();
    const path = `/api/properties/${(await createProperty(user)).id}`;
    for (const [role, list, property] of [
      ['ADMIN', '200', '200'],
      ['USER', '403 access-denied', '404 not-found'],
    ] as const) {
      await service.app.get(UsersService).setRole(account.username.toUpperCase(), role);
      expect(outcomeOf(await account.get('/api/users'))).toBe(list);
      expect(outcomeOf(await account.get(path))).toBe(property);
    }
  });

  it('ends with its account, even when the name is registered again', async () => {
    const request = signUpRequest();
    const { id } = userIn(await signUp(service.anonymous, request));
    const old = withToken(service.app.get(Tokens).issue({ id: String(id), role: 'USER' }));
    expect(outcomeOf(await old.get('/api/users/me'))).toBe('200');
    await admin.delete(`/api/users/${id}`);
    expect(outcomeOf(await signUp(service.anonymous, request))).toBe('201');
    for (const answer of [
      await old.get('/api/users/me'),
      await old.post('/api/properties', propertyRequest()),
      await old.get('/no/such/path'),
    ])
      expect([outcomeOf(answer), answer.headers.get('www-authenticate')]).toEqual(REFUSED);
  });
});
