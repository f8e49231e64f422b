import { Tokens } from '../src/auth/tokens.js';
import { UsersService } from '../src/users/users.service.js';
import { Client } from './support/client.js';
import { sendExactly } from './support/exact-request.js';
import { createProperty, propertyRequest } from './support/factories.js';
import { claiming, FORGERIES, type Forgery, headed, OTHER_SECRET } from './support/forgeries.js';
import { claimsOf, forge, inSeconds } from './support/forged-token.js';
import { outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';
import { signIn, signUp, signUpRequest, userIn } from './support/sign-up.js';

const CHALLENGE = 'Bearer realm="property-finance"';
const INVALID_TOKEN = `${CHALLENGE}, error="invalid_token"`;
const REFUSED = { outcome: '401 authentication-required', challenge: INVALID_TOKEN };
/** Issued so many seconds from now. */
const ahead = (seconds: number): { iat: number; exp: number } => ({
  iat: inSeconds(seconds),
  exp: inSeconds(seconds + 600),
});
const UNAUTHENTICATED = { outcome: '401 authentication-required', challenge: CHALLENGE };

describe('bearer tokens', () => {
  let service: Service;
  let user: Account;
  let admin: Account;

  beforeAll(async () => {
    service = await startService();
    user = await service.account();
    admin = await service.account('ADMIN'); // the next id after the user's
  });

  const withToken = (token: string): Client => new Client(service.url, token);

  describe('answer 200 for', () => {
    it.each<Forgery>([
      ['a token made by hand as the service makes it', (account) => forge({ payload: claimsOf(account) })],
      ['an iat of just under a minute ahead', (account) => forge({ payload: claimsOf(account, ahead(55)) })],
      claiming('a life of a minute more than configured', { iat: inSeconds(0), exp: inSeconds(3660) }),
      claiming('no authorities', { authorities: undefined }),
      claiming('authorities that are no list', { authorities: 'ROLE_ADMIN' }),
      claiming('claims of others', { iss: 'x', aud: ['y'], jti: 'z', nbf: inSeconds(-60), role: 'ADMIN' }),
      headed('a header without typ', { alg: 'HS256' }),
    ])('%s', async (_, make) => {
      const answer = await withToken(make(user)).get('/api/users/me');
      expect([answer.status, answer.json]).toMatchObject([200, { id: Number(user.id) }]);
    });
  });

  describe.each(FORGERIES)('answer 401 for a token with %s', (_, forgeries) => {
    it.each(forgeries)('%s', async (_name, make) => {
      const answer = await withToken(make(user)).get('/api/users/me');
      expect({ outcome: outcomeOf(answer), challenge: answer.headers.get('www-authenticate') }).toEqual(
        REFUSED,
      );
    });
  });

  describe('in the Authorization header', () => {
    const sent = async (headers: string[], path = '/api/users/me'): Promise<object> => {
      const answer = await sendExactly(service.url, { path, headers });
      return { outcome: outcomeOf(answer), challenge: answer.headers.get('www-authenticate') };
    };
    const ACCEPTED = { outcome: '200', challenge: null };

    it.each<[string, (token: string) => string, object]>([
      ['Bearer', (token) => `Bearer ${token}`, ACCEPTED],
      ['bearer', (token) => `bearer ${token}`, ACCEPTED],
      ['two spaces', (token) => `Bearer  ${token}`, ACCEPTED],
      ['white space around the value', (token) => ` \tBearer ${token} \t`, ACCEPTED],
      ['a word after the token', (token) => `Bearer ${token} junk`, REFUSED],
      ['a comma after the token', (token) => `Bearer ${token},`, REFUSED],
      ['the token twice', (token) => `Bearer ${token} ${token}`, REFUSED],
      ['a list of two', (token) => `Bearer ${token}, Bearer ${token}`, REFUSED],
      ['the token in quotes', (token) => `Bearer "${token}"`, REFUSED],
      ['nothing', () => '', UNAUTHENTICATED],
      ['the scheme alone', () => 'Bearer', UNAUTHENTICATED],
      ['the token alone', (token) => token, UNAUTHENTICATED],
      ['no space', (token) => `Bearer${token}`, UNAUTHENTICATED],
      ['Basic', () => `Basic ${Buffer.from('user:password').toString('base64')}`, UNAUTHENTICATED],
      ['Token', (token) => `Token ${token}`, UNAUTHENTICATED],
    ])('with %s', async (_, value, expected) => {
      expect(await sent(['authorization', value(user.token!)])).toEqual(expected);
    });

    it.each<[string, (token: string) => string[]]>([
      ['the same token', (token) => [`Bearer ${token}`, `Bearer ${token}`]],
      ['a good and a bad one', (token) => [`Bearer ${token}`, 'Bearer bad']],
      ['a bad and a good one', (token) => ['Bearer bad', `Bearer ${token}`]],
      ['a good and an empty one', (token) => [`Bearer ${token}`, '']],
    ])('answers 401 for two Authorization headers, with %s', async (_, values) => {
      const headers = values(user.token!).flatMap((value) => ['authorization', value]);
      expect(await sent(headers)).toEqual(REFUSED);
    });

    it.each<[string, (token: string) => [headers: string[], path?: string]]>([
      ['in the query', (token) => [[], `/api/users/me?access_token=${token}&token=${token}`]],
      ['in a cookie', (token) => [['cookie', `accessToken=${token}; Authorization=Bearer ${token}`]]],
      ['in Proxy-Authorization', (token) => [['proxy-authorization', `Bearer ${token}`]]],
      ['in X-Authorization', (token) => [['x-authorization', `Bearer ${token}`]]],
    ])('answers 401 for a token %s', async (_, request) => {
      expect(await sent(...request(user.token!))).toEqual(UNAUTHENTICATED);
    });

    it.each<[string, string, (token: string) => string]>([
      ['a form', 'application/x-www-form-urlencoded', (token) => `access_token=${token}`],
      ['JSON', 'application/json', (token) => JSON.stringify({ ...propertyRequest(), access_token: token })],
    ])('answers 401 for a token in a body of %s', async (_, type, body) => {
      const headers = { 'content-type': type };
      const answer = await service.anonymous.post('/api/properties', body(user.token!), headers);
      expect(outcomeOf(answer)).toBe('401 authentication-required');
      expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE);
    });
  });

  describe('on a public path', () => {
    const bad: [string, () => string][] = [
      ['that expired', () => forge({ payload: claimsOf(user, { exp: inSeconds(-60) }) })],
      ['of an account that is gone', () => forge({ payload: claimsOf({ id: '987654321' }) })],
      ['with another key', () => forge({ payload: claimsOf(user), secret: OTHER_SECRET })],
      ['that is none', () => 'null'],
    ];
    const request = signUpRequest();

    beforeAll(() => signUp(service.anonymous, request));

    it.each(bad)('a token %s is ignored', async (_, make) => {
      const client = withToken(make());
      expect(outcomeOf(await signIn(client, request))).toBe('200');
      expect(outcomeOf(await signUp(client, {}))).toBe('400 validation-failed');
      const health = await client.get('/actuator/health');
      expect([health.status, health.json]).toEqual([200, { status: 'UP' }]);
    });

    it('two Authorization headers are ignored', async () => {
      const headers = ['authorization', 'Bearer bad', 'authorization', 'Bearer worse'];
      const body = JSON.stringify(request);
      const answer = await sendExactly(service.url, {
        method: 'POST',
        path: '/api/auth/signin',
        headers: [...headers, 'content-type', 'application/json'],
        body,
      });
      expect(outcomeOf(answer)).toBe('200');
    });
  });

  describe('have the role of the account, never that of the token,', () => {
    it.each<[string, unknown]>([
      ['a list', ['ROLE_ADMIN']],
      ['a list of both', ['ROLE_ADMIN', 'ROLE_USER', 'ADMIN']],
      ['a string', 'ROLE_ADMIN'],
    ])('of a USER that claims ADMIN in %s', async (_, authorities) => {
      const claims = { authorities, role: 'ADMIN', roles: ['ADMIN'], scope: 'ADMIN' };
      const client = withToken(forge({ payload: claimsOf(user, claims) }));
      expect(outcomeOf(await client.get('/api/users'))).toBe('403 access-denied');
      expect((await client.get('/api/users/me')).json).toMatchObject({ role: 'USER' });
    });

    it.each<[string, unknown]>([
      ['USER alone', ['ROLE_USER']],
      ['nothing', []],
      ['no authorities', undefined],
    ])('of an ADMIN that claims %s', async (_, authorities) => {
      const client = withToken(forge({ payload: claimsOf(admin, { authorities }) }));
      expect(outcomeOf(await client.get('/api/users'))).toBe('200');
    });

    it('so that a changed role, higher or lower, counts at the next request', async () => {
      const account = await service.account();
      const users = service.app.get(UsersService);
      const outcomes: string[] = [];
      for (const role of ['ADMIN', 'USER', 'ADMIN', 'USER'] as const) {
        outcomes.push(outcomeOf(await account.get('/api/users')));
        await users.setRole(account.username.toUpperCase(), role);
      }
      outcomes.push(outcomeOf(await account.get('/api/users')));
      expect(outcomes).toEqual(['403 access-denied', '200', '403 access-denied', '200', '403 access-denied']);
    });

    it('so that an ADMIN made a USER no longer lists the properties of others', async () => {
      const property = await createProperty(user);
      const account = await service.account('ADMIN');
      const path = `/api/properties/${property.id}`;
      expect(outcomeOf(await account.get(path))).toBe('200');
      await service.app.get(UsersService).setRole(account.username, 'USER');
      expect(outcomeOf(await account.get(path))).toBe('404 not-found');
    });
  });

  describe('of a deleted account', () => {
    it('answer 401 to reads and writes at once', async () => {
      const account = await service.account();
      expect(outcomeOf(await account.get('/api/users/me'))).toBe('200');
      expect(outcomeOf(await admin.delete(`/api/users/${account.id}`))).toBe('200');
      for (const answer of [
        await account.get('/api/users/me'),
        await account.get('/api/properties'),
        await account.post('/api/properties', propertyRequest()),
        await account.get('/no/such/path'),
      ]) {
        expect(outcomeOf(answer)).toBe('401 authentication-required');
        expect(answer.headers.get('www-authenticate')).toBe(INVALID_TOKEN);
      }
    });

    it('still answer 401 when the name is registered again', async () => {
      const request = signUpRequest();
      const { id } = userIn(await signUp(service.anonymous, request));
      const old = withToken(service.app.get(Tokens).issue({ id: String(id), role: 'USER' }));
      expect(outcomeOf(await old.get('/api/users/me'))).toBe('200');
      await admin.delete(`/api/users/${id}`);
      expect(outcomeOf(await signUp(service.anonymous, request))).toBe('201');
      expect(outcomeOf(await old.get('/api/users/me'))).toBe('401 authentication-required');
    });
  });
});
