import { AccessGuard } from '../src/common/access/access.guard.js';
import { PropertiesController } from '../src/properties/properties.controller.js';
import { outcomeOf } from './support/responses.js';
import { OPERATIONS } from './support/api-document.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';

const REFUSED = '401 authentication-required';
const FORBIDDEN = '403 access-denied';

let service: Service;
let user: Account;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  // The rules by path admit everything here: the guard and the handlers' declarations remain.
  const guard = service.app.get<Record<'admit', (...args: unknown[]) => unknown>>(AccessGuard);
  const admit = guard.admit.bind(guard);
  guard.admit = (request) => admit(request, 'public');
  [user, admin] = [await service.account(), await service.account('ADMIN')];
});

it.each(OPERATIONS)(
  'the guard alone answers 401 and 403 to $method $path as documented',
  async (documented) => {
    const { method, path, operation } = documented;
    const headers = {
      'content-type': path.endsWith('/import') ? 'application/x-ndjson' : 'application/json',
    };
    const options = method === 'POST' || method === 'PUT' ? { headers, body: '{}' } : {};
    const refusals: string[] = [];
    for (const client of [service.anonymous, user, admin]) {
      const outcome = outcomeOf(await client.send(method, path.replace(/\{\w+\}/, '0'), options));
      refusals.push([REFUSED, FORBIDDEN].includes(outcome) ? outcome : 'passed');
    }
    const isPublic = operation.security?.length === 0;
    const isOfAdmin = /^\/(?:actuator|api\/users(?!\/me))/.test(path) && !isPublic;
    expect(refusals).toEqual([isPublic ? 'passed' : REFUSED, isOfAdmin ? FORBIDDEN : 'passed', 'passed']);
  },
);

it('a handler that declares no access answers 403 to all but an ADMIN', async () => {
  const declared: unknown = Reflect.getMetadata('access', PropertiesController);
  expect(declared).toBe('authenticated');
  Reflect.deleteMetadata('access', PropertiesController);
  const statuses = [service.anonymous, user, admin].map(async ({ token = '' }) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${service.url}/api/properties`, { headers })).status; // 403 is not documented
  });
  const found = await Promise.all(statuses);
  Reflect.defineMetadata('access', declared, PropertiesController);
  expect(found).toEqual([401, 403, 200]);
});

it.each([
  ['GET', '/actuator/health/liveness', '200'],
  ['POST', '/api/auth/signin', '400 validation-failed'],
  ['POST', '/api/auth/signup', '400 validation-failed'],
])('%s %s with a token answers while the database hangs', async (method, path, outcome) => {
  const lock = await Lock.take(service, 'LOCK TABLE users IN ACCESS EXCLUSIVE MODE', []);
  const response = await admin.send(method, path, method === 'GET' ? {} : { body: {} });
  await lock.waitedForBy(1); // the look-up of the caller's row
  expect(outcomeOf(response)).toBe(outcome);
  if (outcome === '200') expect(response.json).toEqual({ status: 'UP' }); // as to an anonymous caller
  await lock.release();
});
