import { PropertiesController } from '../src/properties/properties.controller.js';
import { OPERATIONS } from './support/api-document.js';
import { Lock } from './support/locks.js';
import { outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';

/** The rules by path admit everything here: the guard and the handlers' declarations remain. */
jest.mock('../src/access/access-rules.js', () => ({
  accessOf: () => 'public',
  accessOfUnknown: () => 'public',
}));

const REFUSED = '401 authentication-required';
const FORBIDDEN = '403 access-denied';

let service: Service;
let user: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService({ DB_STATEMENT_TIMEOUT: '30s', DB_ACQUIRE_TIMEOUT: '30s' });
  [user, admin] = [await service.account(), await service.account('ADMIN')];
});

describe('the guard without the rules by path', () => {
  it.each(OPERATIONS)('answers 401 and 403 to $method $path as documented', async (documented) => {
    const { method, path, operation } = documented;
    const type = path.endsWith('/import') ? 'application/x-ndjson' : 'application/json';
    const request = { headers: { 'content-type': type }, body: '{}' };
    const options = method === 'POST' || method === 'PUT' ? request : {};
    const refusals: string[] = [];
    for (const client of [service.anonymous, user, admin]) {
      const outcome = outcomeOf(await client.send(method, path.replace(/\{\w+\}/, '0'), options));
      refusals.push([REFUSED, FORBIDDEN].includes(outcome) ? outcome : 'passed');
    }
    const isPublic = operation.security?.length === 0;
    const isOfAdmin = '403' in operation.responses;
    expect(refusals).toEqual([isPublic ? 'passed' : REFUSED, isOfAdmin ? FORBIDDEN : 'passed', 'passed']);
  });
});

describe('a handler that declares no access', () => {
  const declared: unknown = Reflect.getMetadata('access', PropertiesController);

  beforeAll(() => Reflect.deleteMetadata('access', PropertiesController));
  afterAll(() => Reflect.defineMetadata('access', declared, PropertiesController));

  it('answers 403 to all but an ADMIN', async () => {
    expect(declared).toBe('authenticated');
    const outcomes = [service.anonymous, user, admin].map(async ({ token }) => {
      const { status } = await fetch(`${service.url}/api/properties`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
      return status;
    });
    expect(await Promise.all(outcomes)).toEqual([401, 403, 200]);
  });
});

describe('a token on a public path', () => {
  it.each([
    ['GET', '/actuator/health/liveness', '200'],
    ['POST', '/api/auth/signin', '400 validation-failed'],
    ['POST', '/api/auth/signup', '400 validation-failed'],
  ])('%s %s answers while the database hangs', async (method, path, outcome) => {
    const lock = await Lock.take(service, 'LOCK TABLE users IN ACCESS EXCLUSIVE MODE', []);
    const answer = await admin.send(method, path, method === 'GET' ? {} : { body: {} });
    await lock.waitedForBy(1); // the look-up of the caller's row
    expect(outcomeOf(answer)).toBe(outcome);
    if (outcome === '200') expect(answer.json).toEqual({ status: 'UP' }); // as to an anonymous caller
    await lock.release();
  });
});
