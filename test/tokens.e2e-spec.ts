import type { Settings } from '../src/config/env.js';
import { Tokens } from '../src/auth/tokens.js';
import { outcomeOf } from './support/responses.js';
import { type HttpResponse, Client } from './support/client.js';
import { propertyRequest } from './support/factories.js';
import { FORGERIES, type Forgery, forged, OTHER_SECRET } from './support/forgeries.js';
import { claimsOf, contentOf, forge, inSeconds } from './support/forged-token.js';
import { type Account, type Service, startService } from './support/service.js';
import { TEST_SECRET } from './support/settings.js';
import { signUp, signUpRequest, userIn } from './support/sign-up.js';

const CHALLENGE = 'Bearer realm="property-finance"';
const ACCEPTED = ['200', null];
const REFUSED = ['401 authentication-required', `${CHALLENGE}, error="invalid_token"`];
const UNAUTHENTICATED = ['401 authentication-required', CHALLENGE];

let service: Service;
let user: Account;
let admin: Account;
let key: string;

beforeAll(async () => {
  service = await startService();
  user = await service.account();
  ({ key } = (await user.post('/api/keys', { name: 'x', access: 'READ' })).json as { key: string });
  admin = await service.account('ADMIN'); // the next id after the user's
});

const withToken = (token: string): Client => new Client(service.url, token);

const judged = (response: HttpResponse): unknown[] => [
  outcomeOf(response),
  response.headers.get('www-authenticate'),
];

/** Issued so many seconds from now. */
const ahead = (seconds: number): object => ({ iat: inSeconds(seconds), exp: inSeconds(seconds + 600) });

it.each<Forgery>([
  ['as the service makes it', (account) => forge({ payload: claimsOf(account) })],
  ['issued 55 s ahead', (account) => forge({ payload: claimsOf(account, { ...ahead(55) }) })],
  forged('with a minute more than configured', { claims: { iat: inSeconds(0), exp: inSeconds(3660) } }),
  forged('without authorities', { claims: { authorities: undefined } }),
  forged('with other claims', { claims: { iss: 'x', aud: ['y'], jti: 'z', nbf: inSeconds(-60) } }),
  forged('without typ', { header: { alg: 'HS256' } }),
])('a bearer token %s is accepted', async (_, make) => {
  const response = await withToken(make(user)).get('/api/users/me');
  expect([response.status, response.json]).toMatchObject([200, { id: Number(user.id), role: 'USER' }]);
});

it.each(FORGERIES)('a bearer token with %s gets 401', async (_, make) => {
  expect(judged(await withToken(make(user)).get('/api/users/me'))).toEqual(REFUSED);
});

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
])(
  'the response is %j to the headers %j %j %j %j, of a token or an API key',
  async (expected, ...headers) => {
    for (const credential of [user.token!, key]) {
      const given = headers.map((text) => text.replaceAll('TOKEN', credential));
      const response = await service.anonymous.send('GET', '/api/users/me', { headers: given });
      expect(judged(response)).toEqual(expected);
    }
  },
);

it('a token or an API key in the query or the body gets 401', async () => {
  const { anonymous } = service;
  for (const token of [user.token!, key]) {
    const ofQuery = await anonymous.get(`/api/users/me?access_token=${token}&token=${token}`);
    const ofBody = await anonymous.post('/api/properties', { ...propertyRequest(), token });
    expect([judged(ofQuery), judged(ofBody)]).toEqual([UNAUTHENTICATED, UNAUTHENTICATED]);
  }
});

it.each<[string, () => string[]]>([
  ['an expired token', () => [forge({ payload: claimsOf(user, { exp: inSeconds(-60) }) })]],
  ['a token of a deleted account', () => [forge({ payload: claimsOf({ id: '987654321' }) })]],
  ['a token of another key', () => [forge({ payload: claimsOf(admin), secret: OTHER_SECRET })]],
  ['a forged API key', () => [key.replace(/_\d+_/, '_987654321_')]],
  ['two tokens', () => ['bad', 'worse']],
])('%s is ignored on public paths', async (_, tokens) => {
  const authorization = tokens().flatMap((token) => ['authorization', `Bearer ${token}`]);
  const body = JSON.stringify(signUpRequest());
  const posted = { headers: [...authorization, 'content-type', 'application/json'], body };
  const health = await service.anonymous.send('GET', '/actuator/health', { headers: authorization });
  expect(health.text).toBe('{"status":"UP"}');
  expect((await service.anonymous.send('POST', '/api/auth/signup', posted)).status).toBe(201);
  expect((await service.anonymous.send('POST', '/api/auth/signin', posted)).status).toBe(200);
});

it.each<[string, unknown]>([
  ['403 access-denied', ['ROLE_ADMIN']],
  ['403 access-denied', 'ROLE_ADMIN'],
  ['200', ['ROLE_USER']],
  ['200', undefined],
])('a token has the role of its account, not of its claims: %s with %j', async (outcome, authorities) => {
  const claims = { authorities, role: 'ADMIN', roles: ['ADMIN'], scope: 'ADMIN' };
  const account = outcome === '200' ? admin : user;
  const client = withToken(forge({ payload: claimsOf(account, claims) }));
  expect(outcomeOf(await client.get('/api/users'))).toBe(outcome);
});

// Instances change the secret in turn: docs/operations.md.
describe('with JWT_SECRET_PREVIOUS a token', () => {
  let rotated: Service;
  beforeAll(async () => (rotated = await startService({ JWT_SECRET_PREVIOUS: OTHER_SECRET })));

  it.each<[unknown[], string, string, object]>([
    [ACCEPTED, 'JWT_SECRET', TEST_SECRET, {}],
    [ACCEPTED, 'JWT_SECRET_PREVIOUS', OTHER_SECRET, {}],
    [REFUSED, 'another secret', 'a-secret-that-is-nowhere-configured-0123', {}],
    [REFUSED, 'the previous one, expired', OTHER_SECRET, { exp: inSeconds(-1) }],
    [REFUSED, 'the previous one, for too long', OTHER_SECRET, { exp: inSeconds(7200) }],
  ])('gets %j when it is signed with %s', async (expected, _, secret, claims) => {
    const token = forge({ payload: claimsOf(await rotated.account(), { ...claims }), secret });
    expect(judged(await new Client(rotated.url, token).get('/api/users/me'))).toEqual(expected);
  });

  it.each([
    [TEST_SECRET, 'rotates'],
    [OTHER_SECRET, 'has not rotated yet'],
  ])('is accepted when an instance that signs with %s issues it, which %s', async (secret) => {
    const { id } = await rotated.account();
    const token = new Tokens({
      jwt: { secret, previousSecret: undefined, lifetime: 60_000 },
    } as Settings).issue({
      id,
      role: 'USER',
    });
    const [header, payload] = [contentOf(token, 0), contentOf(token, 1)];
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT', kid: expect.stringMatching(/^[\w-]{8}$/) as string });
    expect(token).toBe(forge({ header, payload, secret }));
    expect(judged(await new Client(rotated.url, token).get('/api/users/me'))).toEqual(ACCEPTED);
  });

  it('is signed with JWT_SECRET', () => {
    const token = rotated.app.get(Tokens).issue({ id: '1', role: 'USER' });
    const [header, payload] = [contentOf(token, 0), contentOf(token, 1)];
    expect(token).toBe(forge({ header, payload, secret: TEST_SECRET }));
  });
});

it('a token gets 401 after its account was deleted, even when the name is registered again', async () => {
  const request = signUpRequest();
  const { id } = userIn(await signUp(service.anonymous, request));
  const old = service.caller(String(id));
  expect((await old.get('/api/users/me')).status).toBe(200);
  await admin.delete(`/api/users/${id}`);
  expect((await signUp(service.anonymous, request)).status).toBe(201);
  for (const path of ['/api/users/me', '/no/such/path']) expect(judged(await old.get(path))).toEqual(REFUSED);
});
