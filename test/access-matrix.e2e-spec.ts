import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { outcomeOf } from './support/responses.js';
import { type HttpResponse, Client } from './support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { claimsOf, forge } from './support/forged-token.js';
import { type Account, type Service, startService } from './support/service.js';

type Outcome = 200 | 201 | 400 | 401 | 403 | 404 | 405 | 413 | 415 | 422;
type Request = [method: string, path: string, headers?: Record<string, string>, body?: string];
type Row = [method: string, path: string, ...outcomes: [Outcome, Outcome, Outcome, Outcome]];

/** Every route, and its responses without a token, to a USER without rows here, to the owner and to an ADMIN. */
const MATRIX: Row[] = [
  ['POST', '/api/auth/signup', 400, 400, 400, 400],
  ['POST', '/api/auth/signin', 400, 400, 400, 400],
  ['GET', '/api/users', 401, 403, 403, 200],
  ['GET', '/api/users/me', 401, 200, 200, 200],
  ['GET', '/api/users/:id', 401, 403, 403, 200],
  ['DELETE', '/api/users/:id', 401, 403, 403, 200],
  ['GET', '/api/keys', 401, 200, 200, 200],
  ['POST', '/api/keys', 401, 201, 201, 201],
  ['DELETE', '/api/keys/:id', 401, 404, 200, 404],
  ['GET', '/api/properties', 401, 200, 200, 200],
  ['POST', '/api/properties', 401, 200, 200, 200],
  ['GET', '/api/properties/:id', 401, 404, 200, 200],
  ['PUT', '/api/properties/:id', 401, 404, 200, 200],
  ['DELETE', '/api/properties/:id', 401, 404, 200, 200],
  ['GET', '/api/transactions', 401, 200, 200, 200],
  ['POST', '/api/transactions', 401, 404, 200, 200],
  ['POST', '/api/transactions/search', 401, 200, 200, 200],
  ['POST', '/api/transactions/batch', 401, 404, 201, 201],
  ['POST', '/api/transactions/import', 401, 422, 200, 200],
  ['GET', '/api/transactions/property/:propertyId', 401, 404, 200, 200],
  ['GET', '/api/transactions/changes', 401, 200, 200, 200],
  ['GET', '/api/properties/changes', 401, 200, 200, 200],
  ['GET', '/api/transactions/:id', 401, 404, 200, 200],
  ['PUT', '/api/transactions/:id', 401, 404, 200, 200],
  ['DELETE', '/api/transactions/:id', 401, 404, 200, 200],
  ['GET', '/api/reports/profit-and-loss', 401, 200, 200, 200],
  ['GET', '/api/reports/tax-year', 401, 400, 400, 400],
  ['GET', '/api/reports/cash-flow', 401, 200, 200, 200],
  ['POST', '/api/transactions/export', 401, 200, 200, 200],
  ['GET', '/api/transactions/export', 401, 200, 200, 200],
  ['GET', '/api/properties/export', 401, 200, 200, 200],
  ['GET', '/actuator', 401, 403, 403, 200],
  ['GET', '/actuator/health', 200, 200, 200, 200],
  ['GET', '/actuator/health/liveness', 200, 200, 200, 200],
  ['GET', '/actuator/health/readiness', 200, 200, 200, 200],
  ['GET', '/actuator/info', 401, 403, 403, 200],
  ['GET', '/actuator/prometheus', 401, 403, 403, 200],
];

const SLUGS: Record<number, string> = {
  200: '200',
  201: '201',
  400: '400 validation-failed',
  401: '401 authentication-required',
  403: '403 access-denied',
  404: '404 not-found',
  405: '405 method-not-allowed',
  413: '413 payload-too-large',
  415: '415 unsupported-media-type',
  422: '422 import-refused',
};

/** The methods of each path: HEAD comes with GET. */
const ROUTES = MATRIX.flatMap(([method, path, anonymous]) =>
  (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((each) => ({ method: each, path, anonymous })),
);

const USUAL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

const NDJSON = { 'content-type': 'application/x-ndjson' };
const JSON_TYPE = { 'content-type': 'application/json' };
const TOO_LARGE = JSON.stringify({ name: 'x'.repeat(1024 ** 2) });

/** Requests that only a USER or an ADMIN gets past authentication, by the responses to these two. */
const ATTEMPTS: [Outcome, Outcome, ...Request][] = [
  [404, 404, 'POST', '/api/auth/signin/again', JSON_TYPE, '{}'],
  [405, 405, 'GET', '/api/auth/signin'],
  [405, 405, 'PATCH', '/api/properties'],
  [405, 405, 'OPTIONS', '/api/properties'],
  [400, 400, 'GET', '/api/properties/abc'],
  [415, 415, 'POST', '/api/properties', { 'content-type': 'text/xml' }, '<a/>'],
  [415, 415, 'PUT', '/api/properties/1', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 'x'],
  [413, 413, 'POST', '/api/properties', JSON_TYPE, TOO_LARGE],
  [403, 404, 'GET', '/actuator/env'],
  [403, 404, 'GET', '/actuator/health/db'],
  [403, 404, 'POST', '/actuator/shutdown', JSON_TYPE, '{'],
  [403, 405, 'POST', '/actuator/health', JSON_TYPE, '{'],
  [403, 404, 'GET', '/api/users/me/password'],
  [403, 405, 'POST', '/api/users', { 'content-type': 'text/xml' }, '<a/>'],
  [403, 405, 'POST', '/api/users', JSON_TYPE, TOO_LARGE],
  [403, 405, 'PUT', '/api/users/1', JSON_TYPE, '{"role":"ADMIN"}'],
  [403, 405, 'M-SEARCH', '/actuator/info'],
  [405, 405, 'DELETE', '/api/users/me'],
  [403, 400, 'GET', '/api/users/abc'],
  [403, 400, 'DELETE', '/api/users/9223372036854775808'],
  [403, 404, 'GET', '/api/users/0'],
  [403, 404, 'DELETE', '/api/users/-1'],
  ...['/', '/api', '/api/properties/1/2', '/no/such/path', '/usersx', '/actuatorx'].flatMap(
    (path): [404, 404, string, string][] => ['GET', 'PROPFIND'].map((method) => [404, 404, method, path]),
  ),
  // Nothing where an id should be.
  ...['properties/', 'transactions/', 'transactions/property/', 'users/'].flatMap((path) =>
    ['GET', 'PUT', 'DELETE', 'PATCH'].flatMap((method) =>
      ['', '?page=1', '/', '/1', '1/'].map((end): [Outcome, Outcome, string, string] => {
        return [path === 'users/' ? 403 : 404, 404, method, `/api/${path}${end}`];
      }),
    ),
  ),
  // Other spellings of a path.
  [403, 200, 'GET', '/actuator/%69nfo'],
  [403, 200, 'GET', '/actuator/info?x=/actuator/health'],
  [403, 404, 'GET', '/actuator/info;/actuator/health'],
  [403, 404, 'GET', '/actuator%2Finfo'],
  [403, 404, 'GET', '/actuator/health%2Fliveness'],
  [403, 404, 'GET', '/actuator/health/../info'],
  [403, 404, 'GET', '/actuator/health/..%2Finfo'],
  [404, 404, 'GET', '//actuator/info'],
  [404, 404, 'GET', '/ACTUATOR/INFO'],
  [404, 404, 'GET', '/%2561ctuator/info'],
  [403, 200, 'GET', '/api/%75sers'],
  [403, 200, 'GET', '/api/users?id=me'],
  [403, 200, 'GET', '/api/users#/api/users/me'],
  [404, 404, 'GET', '/api//users'],
  [200, 200, 'GET', '/api/users/%6d%65?x=1'],
  [403, 400, 'GET', '/api/users/ME'],
  [403, 400, 'GET', '/api/users/me%00'],
  [403, 400, 'GET', '/api/users/me;a=b'],
  [403, 404, 'GET', '/api/users/me/'],
  [403, 404, 'GET', '/api/users/me/../1'],
  [404, 404, 'GET', '/api/properties/../users'],
  [400, 400, 'GET', '/api/properties/%2e%2e%2fusers'],
  [403, 200, 'GET', 'http://any.host/api/users'],
  [200, 200, 'GET', 'http://any.host/api/users/me'],
  [403, 404, 'GET', 'http://any.host/actuator/env'],
];

const CHALLENGE = 'Bearer realm="property-finance"';

let service: Service;
let stranger: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  [stranger, admin] = [await service.account(), await service.account('ADMIN')];
});

const filled = (path: string, id: number | string): string => path.replace(/:\w+/, String(id));

/** The target of a route that belongs to a new owner, and a body that the route takes. */
async function resourceOf(path: string): Promise<{ owner: Account; target: string; body: object }> {
  const owner = await service.account();
  if (path.includes('keys')) {
    const body = { name: 'x', access: 'READ' };
    const { id } = (await owner.post('/api/keys', body)).json as { id: number };
    return { owner, target: filled(path, id), body };
  }
  if (!/properties|transactions/.test(path)) return { owner, target: filled(path, owner.id), body: {} };
  const { id } = await createProperty(owner);
  if (path.includes('properties')) return { owner, target: filled(path, id), body: propertyRequest() };
  const transaction = await createTransaction(owner, id);
  const request = transactionRequest(id);
  const bodies: Record<string, object> = {
    search: {},
    export: {},
    batch: { transactions: [request] },
    import: { ...request, amount: 1 }, // no duplicate
  };
  const target = filled(path.replace(':propertyId', String(id)), transaction.id);
  return { owner, target, body: bodies[path.split('/').at(-1) ?? ''] ?? request };
}

/** Sends no header but these. */
function send({ token }: Client, ...[method, path, given = {}, body]: Request): Promise<HttpResponse> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = Object.entries({ ...authorization, ...given }).flat();
  return service.anonymous.send(method, path, { headers, body });
}

it.each(MATRIX)(
  '%s %s answers anonymous callers %i, strangers %i, the owner %i, an ADMIN %i',
  async (method, path, ...outcomes) => {
    for (const [index, outcome] of outcomes.entries()) {
      const { owner, target, body } = await resourceOf(path);
      const client = [service.anonymous, stranger, owner, await service.account('ADMIN')][index]!;
      const headers = path.endsWith('/import') ? NDJSON : {};
      const response = await client.send(method, target, method.startsWith('P') ? { body, headers } : {});
      expect([index, outcomeOf(response)]).toEqual([index, SLUGS[outcome]]);
      if (method !== 'GET') continue;
      const head = await client.send('HEAD', target);
      expect([head.status, head.text]).toEqual([response.status, '']);
      for (const name of ['content-type', 'etag', 'www-authenticate', 'cache-control'])
        expect([name, head.headers.get(name)]).toEqual([name, response.headers.get(name)]);
    }
  },
);

it('the table has every route; other methods of its paths answer 401, and 405 with Allow to an ADMIN', async () => {
  const paths = pathsOf(service.app.getHttpAdapter().getInstance());
  expect([...new Set(MATRIX.map(([, path]) => path))].sort()).toEqual(paths.toSorted());
  for (const [index, path] of paths.entries()) {
    const routes = ROUTES.filter((route) => route.path === path);
    // One loop gives each path the methods that no path has.
    const methods = index === 0 ? METHODS.filter((method) => method !== 'CONNECT') : USUAL_METHODS;
    const calls = methods.map(async (method) => {
      const [anonymous, ofAdmin] = [service.anonymous, admin].map((client) =>
        send(client, method, filled(path, 0)),
      );
      const { status, headers } = await ofAdmin!;
      const route = routes.find((it) => it.method === method);
      const isRefused = route === undefined || route.anonymous === 401;
      expect([method, path, (await anonymous!).status === 401]).toEqual([method, path, isRefused]);
      expect([method, path, status === 405]).toEqual([method, path, route === undefined]);
      if (route === undefined)
        expect(headers.get('allow')?.split(', ').sort()).toEqual(routes.map((it) => it.method).sort());
    });
    await Promise.all(calls);
  }
});

it.each(ATTEMPTS)('a USER gets %i and an ADMIN %i for %s %s, others 401', async (...attempt) => {
  const [ofUser, ofAdmin, ...request] = attempt;
  const forged = forge({ payload: claimsOf(admin), secret: 'the key of somebody else, long enough' });
  for (const [client, outcome, challenge] of [
    [service.anonymous, SLUGS[401], CHALLENGE],
    [new Client(service.url, forged), SLUGS[401], `${CHALLENGE}, error="invalid_token"`],
    [stranger, SLUGS[ofUser], null],
    [admin, SLUGS[ofAdmin], null],
  ] as const) {
    const response = await send(client, ...request);
    expect([outcomeOf(response), response.headers.get('www-authenticate')]).toEqual([outcome, challenge]);
  }
});

it.each<[string, Outcome]>([
  ['/api/auth/%73ignin', 400],
  ['/api/auth/signin?x=1', 400],
  ['/api/auth/signin/', 401],
  ['/api/auth%2Fsignin', 401],
  ['/API/AUTH/SIGNIN', 401],
  ['/api/auth/signin;a=b', 401],
  ['/api/auth/signin/../../users', 401],
  ['/api/auth/signup%2F..%2F..%2Fproperties', 401],
])('an anonymous POST %s answers %i', async (path, outcome) => {
  expect(outcomeOf(await send(service.anonymous, 'POST', path, JSON_TYPE, '{}'))).toBe(SLUGS[outcome]);
});

/** The paths of Fastify's own list of routes, which it draws as a tree. */
function pathsOf(fastify: FastifyInstance): string[] {
  const branch: string[] = [];
  return fastify
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, part, methods] = /^([│ ]*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
      if (indent === undefined || part === undefined) return [];
      branch.splice(indent.length / 4, Infinity, part);
      return methods === undefined ? [] : [branch.join('')];
    });
}
