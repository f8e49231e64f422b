import { Database } from '../src/database/database.js';
import { UsersRepository } from '../src/users/users.repository.js';
import { bodyOf, outcomeOf } from './support/responses.js';
import type { HttpResponse } from './support/client.js';
import { openConnection } from './support/connect.js';
import { propertyRequest } from './support/factories.js';
import { waitingForLocks } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';
import { signUp, signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

const FORBIDDEN = '403 access-denied';
const DELETION = 'DELETE FROM users WHERE id = $1';
const HASH = `$2b$10$${'.'.repeat(53)}`;

let service: Service;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  admin = await service.account('ADMIN');
});

const remove = ({ id }: Account): Promise<HttpResponse> => admin.delete(`/api/users/${id}`);

/** The response to a request that waits for a transaction past the service, which then ends. */
async function during(text: string, values: unknown[], end: string, send: () => Promise<HttpResponse>) {
  const other = await openConnection(service.settings.database.url);
  await other.query('BEGIN');
  await other.query(text, values);
  const response = send();
  await until(async () => (await waitingForLocks(service)) > 0);
  await other.query(end);
  return response;
}

it.each([
  ['409 duplicate-email', 'COMMIT', 'both names'],
  ['409 duplicate-username', 'COMMIT', 'the username'],
  ['201', 'ROLLBACK', 'both names'],
])('a sign-up answers %s after the %s of a transaction that takes %s', async (outcome, end, taken) => {
  const request = signUpRequest();
  const insertion = 'INSERT INTO users (email, username, password_hash) VALUES (upper($1), upper($2), $3)';
  const email = taken === 'both names' ? request.email : 'another@example.com';
  const names = [email, request.username, HASH];
  const response = await during(insertion, names, end, () => signUp(service.anonymous, request));
  expect(outcomeOf(response)).toBe(outcome);
});

it('a sign-up answers 201 when the account with its name is gone at the look-up', async () => {
  const request = signUpRequest();
  const { id } = bodyOf(await signUp(service.anonymous, request));
  jest.spyOn(service.app.get(Database), 'read').mockImplementationOnce(() => service.sql(DELETION, [id]));
  expect(outcomeOf(await signUp(service.anonymous, request))).toBe('201');
});

it.each([
  ['201', 'COMMIT'],
  ['409 duplicate-username', 'ROLLBACK'],
])('a sign-up answers %s after the %s of a transaction that gives the name up', async (outcome, end) => {
  const { id, username } = await service.account();
  const again = signUpRequest({ username });
  const response = await during(DELETION, [id], end, () => signUp(service.anonymous, again));
  expect(outcomeOf(response)).toBe(outcome);
});

it('DELETE /api/users/:id answers 409 after the creation of a property that has begun', async () => {
  const account = await service.account();
  const creation = `INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
                    VALUES ($1, 'Loft', '2 Hill Road', 1, 1, 1, 1, true)`;
  const response = await during(creation, [account.id], 'COMMIT', () => remove(account));
  expect(outcomeOf(response)).toBe('409 resource-in-use');
  expect((await account.get('/api/users/me')).status).toBe(200);
});

it('DELETE /api/users/:id that has begun makes the creation of a property answer 401', async () => {
  const account = await service.account();
  const create = (): Promise<HttpResponse> => account.post('/api/properties', propertyRequest());
  const response = await during(DELETION, [account.id], 'COMMIT', create);
  expect(outcomeOf(response)).toBe('401 authentication-required');
  expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
  expect(await service.sql('SELECT FROM properties WHERE owner_id = $1', [account.id])).toEqual([]);
});

it('DELETE /api/users/:id sent twice at once answers 200 and 404', async () => {
  const account = await service.account();
  const responses = await Promise.all([remove(account), remove(account)]);
  expect(responses.map(outcomeOf).sort()).toEqual(['200', '404 not-found']);
});

it('a change of role applies to every request after it, and to each one beside it or not', async () => {
  const account = await service.account();
  const flow = (): Promise<string[]> =>
    Promise.all(Array.from({ length: 10 }, async () => outcomeOf(await account.get('/api/users'))));
  for (const role of ['ADMIN', 'USER', 'ADMIN'] as const) {
    const before = flow();
    const change = service.app.get(UsersRepository).update(account.username.toUpperCase(), { role });
    const beside = [...(await before), ...(await flow())];
    await change;
    expect(new Set(await flow())).toEqual(new Set([role === 'ADMIN' ? '200' : FORBIDDEN]));
    expect(['200', FORBIDDEN]).toEqual(expect.arrayContaining(beside));
  }
});
