import { PropertiesController } from '../src/properties/properties.controller.js';
import { expectProblem } from './support/answers.js';
import { Lock } from './support/locks.js';
import { expectDocument } from './support/problem-document.js';
import { type Account, type Service, startService } from './support/service.js';
import { requestText, sendBytes, type WireAnswer } from './support/wire.js';

/** The rules by path admit everything here: the guard and the handlers' declarations remain. */
jest.mock('../src/access/access-rules.js', () => ({
  accessOf: () => 'public',
  accessOfUnknown: () => 'public',
}));

let service: Service;
let user: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService({ DB_STATEMENT_TIMEOUT: '30s', DB_ACQUIRE_TIMEOUT: '30s' });
  [user, admin] = [await service.account(), await service.account('ADMIN')];
});

/** What the handlers declare is in test/access-matrix.e2e-spec.ts. */
const HANDLERS: readonly (readonly [method: string, path: string, role: 'USER' | 'ADMIN'])[] = [
  ['GET', '/api/users/me', 'USER'],
  ['POST', '/api/properties', 'USER'],
  ['GET', '/api/users', 'ADMIN'],
  ['DELETE', '/api/users/0', 'ADMIN'],
  ['GET', '/actuator/info', 'ADMIN'],
  ['GET', '/actuator/prometheus', 'ADMIN'],
];

describe('the guard without the rules by path', () => {
  it.each(HANDLERS)('answers %s %s for the role %s alone', async (method, path, role) => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    expectProblem(await service.anonymous.send(method, path, body), 401, 'authentication-required');
    if (role === 'ADMIN') expectProblem(await user.send(method, path, body), 403, 'access-denied');
    else expect([200, 400]).toContain((await user.send(method, path, body)).status);
    expect([200, 400, 404]).toContain((await admin.send(method, path, body)).status);
  });
});

describe('a handler that declares no access', () => {
  const declared: unknown = Reflect.getMetadata('access', PropertiesController);

  beforeAll(() => {
    Reflect.deleteMetadata('access', PropertiesController);
  });
  afterAll(() => {
    Reflect.defineMetadata('access', declared, PropertiesController);
  });

  it('answers 403 to all but an ADMIN', async () => {
    expect(declared).toBe('authenticated');
    const line = 'GET /api/properties HTTP/1.1';
    const send = (...headers: string[]): Promise<WireAnswer> =>
      sendBytes(service.url, requestText(line, headers)); // the API document does not know of it
    expectDocument(await send(), 'authentication-required', '/api/properties');
    expectDocument(await send(`Authorization: Bearer ${user.token!}`), 'access-denied', '/api/properties');
    expect((await send(`Authorization: Bearer ${admin.token!}`)).status).toBe(200);
  });
});

describe('a token on a public path', () => {
  it.each([
    ['GET', '/actuator/health/liveness', 200],
    ['POST', '/api/auth/signin', 400],
    ['POST', '/api/auth/signup', 400],
  ])('%s %s answers while the database hangs', async (method, path, status) => {
    const lock = await Lock.take(service, 'LOCK TABLE users IN ACCESS EXCLUSIVE MODE', []);
    const answer = await admin.send(method, path, method === 'GET' ? {} : { body: {} });
    await lock.waitedForBy(1); // the caller's row is still being asked for
    expect(answer.status).toBe(status);
    if (status === 200) expect(JSON.parse(answer.text)).toEqual({ status: 'UP' }); // as to anybody
    await lock.release();
  });
});
