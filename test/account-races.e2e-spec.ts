import { UsersService } from '../src/users/users.service.js';
import type { Answer } from './support/client.js';
import { openConnection } from './support/connect.js';
import { propertyRequest } from './support/factories.js';
import { waitingForLocks } from './support/locks.js';
import { outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';
import { signUp, signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

const FORBIDDEN = '403 access-denied';
const UNKNOWN = '401 authentication-required';
const IN_USE = '409 resource-in-use';

let service: Service;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  admin = await service.account('ADMIN');
});

/** The outcome of a request that waits for a transaction past the service, which then ends. */
async function during(
  [text, ...values]: [string, ...unknown[]],
  end: string,
  send: () => Promise<Answer>,
): Promise<string> {
  const other = await openConnection(service.settings.database.url);
  await other.query('BEGIN');
  await other.query(text, values);
  const answer = send();
  await until(async () => (await waitingForLocks(service)) > 0);
  await other.query(end);
  return outcomeOf(await answer);
}

const post = (account: Account): Promise<Answer> => account.post('/api/properties', propertyRequest());
const remove = ({ id }: Account): Promise<Answer> => admin.delete(`/api/users/${id}`);
const propertiesOf = async ({ id }: Account): Promise<number> =>
  (await service.sql('SELECT FROM properties WHERE owner_id = $1', [id])).length;

describe('two sign-ups at once', () => {
  it.each<[string, string, (name: string) => Record<string, string>]>([
    ['one e-mail', 'duplicate-email', (name) => ({ email: `${name}@Example.com` })],
    ['one username', 'duplicate-username', (name) => ({ username: name })],
    ['both', 'duplicate-email', (name) => ({ email: `${name}@Example.com`, username: name })],
  ])('with %s in different case answer 201 and 409 %s', async (what, slug, fields) => {
    for (let round = 0; round < 10; round++) {
      const name = `né-${what.replace(' ', '-')}-${round}`;
      const requests = [name, name.toUpperCase()].map((text) => signUpRequest(fields(text)));
      const answers = await Promise.all(requests.map((request) => signUp(service.anonymous, request)));
      expect(answers.map(outcomeOf).sort()).toEqual(['201', `409 ${slug}`]);
    }
  });
});

describe('POST /api/auth/signup waits for a transaction', () => {
  it.each([
    ['COMMIT', '409 duplicate-email'],
    ['ROLLBACK', '201'],
  ])('that takes the name, and after its %s answers %s', async (end, outcome) => {
    const request = signUpRequest();
    const insertion = 'INSERT INTO users (email, username, password_hash) VALUES ($1, $2, $3)';
    const values = [request.email.toUpperCase(), request.username.toUpperCase(), `$2b$10$${'.'.repeat(53)}`];
    const send = (): Promise<Answer> => signUp(service.anonymous, request);
    expect(await during([insertion, ...values], end, send)).toBe(outcome);
  });

  it.each([
    ['COMMIT', '201'],
    ['ROLLBACK', '409 duplicate-username'],
  ])('that gives the name up, and after its %s answers %s', async (end, outcome) => {
    const { id, username } = await service.account();
    const send = (): Promise<Answer> => signUp(service.anonymous, signUpRequest({ username }));
    expect(await during(['DELETE FROM users WHERE id = $1', id], end, send)).toBe(outcome);
  });
});

describe('DELETE /api/users/:id', () => {
  it('answers 409 after the creation of a property that has begun', async () => {
    const account = await service.account();
    const creation = `INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
                      VALUES ($1, 'Loft', '2 Hill Road', 1, 1, 1, 1, true)`;
    expect(await during([creation, account.id], 'COMMIT', () => remove(account))).toBe(IN_USE);
    expect((await account.get('/api/users/me')).status).toBe(200);
  });

  it('that has begun makes the creation of a property answer 401', async () => {
    const account = await service.account();
    const deletion = 'DELETE FROM users WHERE id = $1';
    expect(await during([deletion, account.id], 'COMMIT', () => post(account))).toBe(UNKNOWN);
    expect(await propertiesOf(account)).toBe(0);
  });

  it('sent twice at once answers 200 and 404', async () => {
    const account = await service.account();
    const answers = await Promise.all([remove(account), remove(account)]);
    expect(answers.map(outcomeOf).sort()).toEqual(['200', '404 not-found']);
  });
});

describe('a change of role', () => {
  it('applies to every request after it, and to each one beside it or not', async () => {
    const account = await service.account();
    const flow = (): Promise<string>[] =>
      Array.from({ length: 10 }, async () => outcomeOf(await account.get('/api/users')));
    for (const role of ['ADMIN', 'USER', 'ADMIN'] as const) {
      const beside = flow();
      const change = service.app.get(UsersService).setRole(account.username, role);
      beside.push(...flow());
      await change;
      const after = await Promise.all(flow());
      expect(new Set(after)).toEqual(new Set([role === 'ADMIN' ? '200' : FORBIDDEN]));
      for (const outcome of await Promise.all(beside)) expect(['200', FORBIDDEN]).toContain(outcome);
    }
  });

  it('that is not committed neither holds up requests nor applies to them', async () => {
    const account = await service.account();
    const other = await openConnection(service.settings.database.url);
    await other.query('BEGIN');
    await other.query(`UPDATE users SET role = 'ADMIN' WHERE id = $1`, [account.id]);
    expect(outcomeOf(await account.get('/api/users'))).toBe(FORBIDDEN);
    await other.query('COMMIT');
    expect(outcomeOf(await account.get('/api/users'))).toBe('200');
  });
});
