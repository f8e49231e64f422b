import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { accessOf } from '../src/access/access-rules.js';
import { Client } from './support/client.js';
import { type ExactAnswer, sendExactly } from './support/exact-request.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import { claimsOf, forge } from './support/forged-token.js';
import { controllersOf, handlersOf } from './support/handlers.js';
import { outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';

const CALLERS = ['anonymous', 'stranger', 'owner', 'admin'] as const;
type Outcome = 200 | 201 | 400 | 401 | 403 | 404 | 422;
type Row = [method: string, path: string, ...outcomes: [Outcome, Outcome, Outcome, Outcome]];

/** Every route, and what it answers to nobody, to a USER who owns nothing here, to the owner, and to an ADMIN. */
const MATRIX: Row[] = [
  ['POST', '/api/auth/signup', 400, 400, 400, 400],
  ['POST', '/api/auth/signin', 400, 400, 400, 400],
  ['GET', '/api/users', 401, 403, 403, 200],
  ['GET', '/api/users/me', 401, 200, 200, 200],
  ['GET', '/api/users/:id', 401, 403, 403, 200],
  ['DELETE', '/api/users/:id', 401, 403, 403, 200],
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
  ['GET', '/api/transactions/:id', 401, 404, 200, 200],
  ['PUT', '/api/transactions/:id', 401, 404, 200, 200],
  ['DELETE', '/api/transactions/:id', 401, 404, 200, 200],
  ['GET', '/api/reports/profit-and-loss', 401, 200, 200, 200],
  ['GET', '/api/reports/tax-year', 401, 400, 400, 400],
  ['GET', '/api/reports/cash-flow', 401, 200, 200, 200],
  ['POST', '/api/transactions/export', 401, 200, 200, 200],
  ['GET', '/api/properties/export', 401, 200, 200, 200],
  ['GET', '/actuator', 401, 403, 403, 200],
  ['GET', '/actuator/health', 200, 200, 200, 200],
  ['GET', '/actuator/health/liveness', 200, 200, 200, 200],
  ['GET', '/actuator/health/readiness', 200, 200, 200, 200],
  ['GET', '/actuator/info', 401, 403, 403, 200],
  ['GET', '/actuator/prometheus', 401, 403, 403, 200],
];

/** The whole list of what needs no token. */
const PUBLIC = [
  'POST /api/auth/signup',
  'POST /api/auth/signin',
  'GET /actuator/health',
  'HEAD /actuator/health',
  'GET /actuator/health/liveness',
  'HEAD /actuator/health/liveness',
  'GET /actuator/health/readiness',
  'HEAD /actuator/health/readiness',
];

const SLUGS: Record<Outcome, string> = {
  200: '200',
  201: '201',
  400: '400 validation-failed',
  401: '401 authentication-required',
  403: '403 access-denied',
  404: '404 not-found',
  422: '422 import-refused',
};

const CHALLENGE = 'Bearer realm="property-finance"';
const NDJSON = { 'content-type': 'application/x-ndjson' };
const JSON_TYPE = { 'content-type': 'application/json' };
const TOO_LARGE = JSON.stringify({ name: 'x'.repeat(1024 ** 2) });

describe('access control', () => {
  let service: Service;
  let stranger: Account;
  let admin: Account;

  beforeAll(async () => {
    service = await startService();
    stranger = await service.account();
    admin = await service.account('ADMIN');
  });

  /** The target of a route that belongs to a new owner, and a body that the route takes. */
  async function resourceOf(path: string): Promise<{ owner: Account; target: string; body: object }> {
    const owner = await service.account();
    if (!/properties|transactions/.test(path)) return { owner, target: filled(path, owner.id), body: {} };
    const property = await createProperty(owner);
    if (path.includes('properties'))
      return { owner, target: filled(path, property.id), body: propertyRequest() };
    const transaction = await createTransaction(owner, property.id);
    const target = filled(path.replace(':propertyId', String(property.id)), transaction.id);
    const request = transactionRequest(property.id);
    const bodies: Record<string, object> = {
      search: {},
      export: {},
      batch: { transactions: [request] },
      import: { ...request, amount: 1 }, // no duplicate
    };
    return { owner, target, body: bodies[path.split('/').at(-1) ?? ''] ?? request };
  }

  const filled = (path: string, id: number | string): string => path.replace(/:\w+/, String(id));

  /** What the four callers get, each at a resource of its own. */
  async function outcomesOf(method: string, path: string): Promise<Record<string, string>> {
    const outcomes: Record<string, string> = {};
    for (const caller of CALLERS) {
      const { owner, target, body } = await resourceOf(path);
      const client = { anonymous: service.anonymous, stranger, owner, admin: await service.account('ADMIN') }[
        caller
      ];
      const hasBody = method === 'POST' || method === 'PUT';
      const headers = path.endsWith('/import') ? NDJSON : {};
      outcomes[caller] = outcomeOf(await client.send(method, target, hasBody ? { body, headers } : {}));
    }
    return outcomes;
  }

  const send = (
    client: Client,
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<ExactAnswer> =>
    sendExactly(service.url, {
      method,
      path,
      headers: [
        ...(client.token === undefined ? [] : ['authorization', `Bearer ${client.token}`]),
        ...Object.entries(headers).flat(),
      ],
      ...(body === undefined ? {} : { body }),
    });

  describe('of each route', () => {
    it.each(MATRIX)(
      '%s %s answers anonymous callers %i, strangers %i, the owner %i, an ADMIN %i',
      async (...row) => {
        const [method, path, ...outcomes] = row;
        expect(await outcomesOf(method, path)).toEqual(
          Object.fromEntries(CALLERS.map((caller, index) => [caller, SLUGS[outcomes[index]!]])),
        );
      },
    );

    it.each(MATRIX.filter(([method]) => method === 'GET'))('HEAD answers as %s %s', async (_, path) => {
      const { owner, target } = await resourceOf(path);
      for (const client of [service.anonymous, stranger, owner, admin]) {
        const [get, head] = [await client.get(target), await client.send('HEAD', target)];
        expect([head.status, head.text]).toEqual([get.status, '']);
        for (const name of ['content-type', 'etag', 'www-authenticate', 'cache-control']) {
          expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
        }
      }
    });
  });

  describe('over all paths and methods', () => {
    const EVERY_METHOD = METHODS.filter((method) => method !== 'CONNECT');
    const REFUSED = /^401( authentication-required)?$/; // of a HEAD there is the status alone

    /** Of every method of every path that the router knows, by `METHOD path`; with what a 405 allows. */
    async function answersTo(client: Client): Promise<[route: string, answer: string][]> {
      const answers: [string, string][] = [];
      for (const path of pathsOf(service.app.getHttpAdapter().getInstance())) {
        const asked = EVERY_METHOD.map(async (method): Promise<[string, string]> => {
          const answer = await send(client, method, filled(path, 0));
          const outcome = method === 'HEAD' ? String(answer.status) : outcomeOf(answer);
          const allowed = answer.headers.get('allow')?.split(', ').sort() ?? [];
          return [`${method} ${path}`, answer.status === 405 ? `${outcome}: ${allowed.join(', ')}` : outcome];
        });
        answers.push(...(await Promise.all(asked)));
      }
      return answers;
    }

    it('the table has every route, and other methods of its paths answer 405 with Allow', async () => {
      const methodsOf = new Map<string, string[]>();
      for (const [method, path] of MATRIX) {
        const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
        methodsOf.set(path, [...(methodsOf.get(path) ?? []), ...methods].sort());
      }
      for (const [route, answer] of await answersTo(admin)) {
        const [method = '', path = ''] = route.split(' ');
        const known = methodsOf.get(path) ?? [];
        const expected: unknown = known.includes(method)
          ? expect.not.stringMatching(/^405/)
          : `405${method === 'HEAD' ? '' : ' method-not-allowed'}: ${known.join(', ')}`;
        expect([route, answer]).toEqual([route, expected]);
      }
      const paths = pathsOf(service.app.getHttpAdapter().getInstance());
      expect([...methodsOf.keys()].sort()).toEqual(paths.toSorted());
    });

    it('only the public paths answer without a token', async () => {
      const passed = (await answersTo(service.anonymous)).filter(([, answer]) => !REFUSED.test(answer));
      expect(passed.map(([route]) => route).sort()).toEqual([...PUBLIC].sort());
    });
  });

  describe('over all handlers', () => {
    it('each handler declares the access that the rules by path give it', () => {
      const handlers = controllersOf(service.app).flatMap(handlersOf);
      expect(handlers.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
        MATRIX.map(([method, path]) => `${method} ${path}`).sort(),
      );
      expect(handlers.filter(({ method, path, access }) => access !== accessOf(path, method))).toEqual([]);
    });
  });

  describe('without a valid token answers 401 before anything else, to', () => {
    const requests: [string, string, string, Record<string, string>?, string?][] = [
      ['an unknown path', 'GET', '/no/such/path'],
      ['an unknown path under the sign-in', 'POST', '/api/auth/signin/again', JSON_TYPE, '{}'],
      ['an unknown path under the health probe', 'GET', '/actuator/health/db'],
      ['another method of a known path', 'PATCH', '/api/properties'],
      ['another method of the sign-in', 'GET', '/api/auth/signin'],
      ['another method of the health probe', 'POST', '/actuator/health', JSON_TYPE, '{}'],
      ['OPTIONS', 'OPTIONS', '/api/properties'],
      ['an id that is none', 'GET', '/api/properties/abc'],
      ['a page that is none', 'GET', '/api/properties?page=-1'],
      ['malformed JSON', 'POST', '/api/properties', JSON_TYPE, '{'],
      ['an invalid body', 'POST', '/api/properties', JSON_TYPE, '{}'],
      ['another media type', 'POST', '/api/properties', { 'content-type': 'text/xml' }, '<a/>'],
      ['an encoded body', 'PUT', '/api/properties/1', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 'x'],
      ['a body that is too large', 'POST', '/api/properties', JSON_TYPE, TOO_LARGE],
      ['a body that is too large for no path', 'POST', '/no/such/path', JSON_TYPE, TOO_LARGE],
    ];

    it.each(requests)('%s', async (...[, method, path, headers, body]) => {
      const forged = forge({ payload: claimsOf(admin), secret: 'the key of somebody else, long enough' });
      for (const [token, challenge] of [
        [undefined, CHALLENGE],
        [forged, `${CHALLENGE}, error="invalid_token"`],
      ]) {
        const client = new Client(service.url, token);
        const answer = await send(client, method, path, headers, body);
        expect(outcomeOf(answer)).toBe('401 authentication-required');
        expect(answer.headers.get('www-authenticate')).toBe(challenge);
      }
    });
  });

  describe('answers a USER 403 before the resource is looked up, for', () => {
    it.each<[string, string, string, Record<string, string>?, string?]>([
      ['404 not-found', 'GET', '/actuator/env'],
      ['404 not-found', 'GET', '/actuator/health/db'],
      ['404 not-found', 'POST', '/actuator/shutdown', JSON_TYPE, '{'],
      ['405 method-not-allowed', 'POST', '/actuator/health', JSON_TYPE, '{'],
      ['404 not-found', 'GET', '/api/users/me/password'],
      ['405 method-not-allowed', 'POST', '/api/users', JSON_TYPE, '{'],
      ['405 method-not-allowed', 'POST', '/api/users', { 'content-type': 'text/xml' }, '<a/>'],
      ['405 method-not-allowed', 'POST', '/api/users', JSON_TYPE, TOO_LARGE],
      ['405 method-not-allowed', 'PUT', '/api/users/1', JSON_TYPE, '{"role":"ADMIN"}'],
      ['400 validation-failed', 'GET', '/api/users/abc'],
      ['400 validation-failed', 'DELETE', '/api/users/9223372036854775808'],
      ['404 not-found', 'GET', '/api/users/0'],
    ])('a request that answers an ADMIN %s: %s %s', async (...[forAdmin, method, path, headers, body]) => {
      expect(outcomeOf(await send(stranger, method, path, headers, body))).toBe('403 access-denied');
      expect(outcomeOf(await send(admin, method, path, headers, body))).toBe(forAdmin);
    });
  });

  it.each(['/', '/api', '/api/propertie', '/api/properties/1/2', '/no/such/path', '/usersx'])(
    'with a valid token tells that there is no %s: 404',
    async (path) => {
      for (const method of ['GET', 'POST', 'PROPFIND'])
        expect(outcomeOf(await send(stranger, method, path))).toBe('404 not-found');
    },
  );

  describe('holds for other spellings of a path:', () => {
    it.each<[string, Outcome, Outcome, Outcome]>([
      ['/%61ctuator/info', 401, 403, 200],
      ['/actuator/%69nfo', 401, 403, 200],
      ['/actuator/info?x=/actuator/health', 401, 403, 200],
      ['/actuator/info;/actuator/health', 401, 403, 404],
      ['/actuator%2Finfo', 401, 403, 404],
      ['/actuator%2fhealth', 401, 403, 404],
      ['/actuator/health%2Fliveness', 401, 403, 404],
      ['/actuator/health/', 401, 403, 404],
      ['/actuator/health/../info', 401, 403, 404],
      ['/actuator/health/..%2Finfo', 401, 403, 404],
      ['/actuator/info/', 401, 403, 404],
      ['//actuator/info', 401, 404, 404],
      ['/ACTUATOR/INFO', 401, 404, 404],
      ['/%2561ctuator/info', 401, 404, 404],
      ['/actuatorx', 401, 404, 404],
      ['/actuator/health\\..\\info', 401, 403, 404],
      ['/api/%75sers', 401, 403, 200],
      ['/api/users?id=me', 401, 403, 200],
      ['/api/users#/api/users/me', 401, 403, 200],
      ['/api//users', 401, 404, 404],
      ['/api/./users', 401, 404, 404],
      ['/api/users/%6De', 401, 200, 200],
      ['/api/users/%6d%65?x=1', 401, 200, 200],
      ['/api/users/ME', 401, 403, 400],
      ['/api/users/me%00', 401, 403, 400],
      ['/api/users/me%2F', 401, 403, 400],
      ['/api/users/me;a=b', 401, 403, 400],
      ['/api/users/me/', 401, 403, 404],
      ['/api/users/me/../1', 401, 403, 404],
      ['/api/properties/../users', 401, 404, 404],
      ['/api/properties/%2e%2e%2fusers', 401, 400, 400],
    ])('GET %s answers anonymous callers %i, a USER %i, an ADMIN %i', async (path, ...outcomes) => {
      const answers = [service.anonymous, stranger, admin].map((client) => send(client, 'GET', path));
      expect((await Promise.all(answers)).map(outcomeOf)).toEqual(outcomes.map((status) => SLUGS[status]));
    });

    it.each([
      ['/api/auth/%73ignin', '400 validation-failed'],
      ['/api/auth/signin?x=1', '400 validation-failed'],
      ['/api/auth/signin/', '401 authentication-required'],
      ['/api/auth%2Fsignin', '401 authentication-required'],
      ['/API/AUTH/SIGNIN', '401 authentication-required'],
      ['/api/auth/signin;a=b', '401 authentication-required'],
      ['/api/auth/signin/../../users', '401 authentication-required'],
      ['/api/auth/signup%2F..%2F..%2Fproperties', '401 authentication-required'],
    ])('an anonymous POST %s answers %s', async (path, outcome) => {
      expect(outcomeOf(await send(service.anonymous, 'POST', path, JSON_TYPE, '{}'))).toBe(outcome);
    });

    it.each<[string, Outcome, Outcome, Outcome]>([
      ['/api/users', 401, 403, 200],
      ['/api/users/me', 401, 200, 200],
      ['/actuator/env', 401, 403, 404],
    ])(
      'GET http://any.host%s answers anonymous callers %i, a USER %i, an ADMIN %i',
      async (path, ...outcomes) => {
        const answers = [service.anonymous, stranger, admin].map((client) =>
          send(client, 'GET', `http://any.host${path}`),
        );
        expect((await Promise.all(answers)).map(outcomeOf)).toEqual(outcomes.map((status) => SLUGS[status]));
      },
    );

    it('X-HTTP-Method-Override and X-Original-URL headers are ignored', async () => {
      const other = await service.account();
      const headers = {
        'x-http-method-override': 'DELETE',
        'x-original-url': '/api/users/me',
        'x-rewrite-url': '/api/users/me',
        'x-forwarded-prefix': '/api/users/me',
      };
      const path = `/api/users/${other.id}`;
      expect(outcomeOf(await send(stranger, 'GET', path, headers))).toBe('403 access-denied');
      expect(outcomeOf(await send(admin, 'GET', path, headers))).toBe('200');
      expect(outcomeOf(await send(admin, 'GET', path))).toBe('200');
    });
  });
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
