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
const DELETION = 'DELETE FROM users WHERE id = $1';
const HASH = `$2b$10$${'.'.repeat(53)}`;

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

const remove = ({ id }: Account): Promise<Answer> => admin.delete(`/api/users/${id}`);

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

describe('POST /api/auth/signup', () => {
  it.each([
    ['409 duplicate-email', 'COMMIT'],
    ['201', 'ROLLBACK'],
  ])('answers %s after the %s of a transaction that takes the names', async (outcome, end) => {
    const request = signUpRequest();
    const insertion = 'INSERT INTO users (email, username, password_hash) VALUES (upper($1), upper($2), $3)';
    const taking: [string, ...unknown[]] = [insertion, request.email, request.username, HASH];
    expect(await during(taking, end, () => signUp(service.anonymous, request))).toBe(outcome);
  });

  it.each([
    ['201', 'COMMIT'],
    ['409 duplicate-username', 'ROLLBACK'],
  ])('answers %s after the %s of a transaction that gives the name up', async (outcome, end) => {
    const { id, username } = await service.account();
    const send = (): Promise<Answer> => signUp(service.anonymous, signUpRequest({ username }));
    expect(await during([DELETION, id], end, send)).toBe(outcome);
  });
});

describe('DELETE /api/users/:id', () => {
  it('answers 409 after the creation of a property that has begun', async () => {
    const account = await service.account();
    const creation = `INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
                      VALUES ($1, 'Loft', '2 Hill Road', 1, 1, 1, 1, true)`;
    expect(await during([creation, account.id], 'COMMIT', () => remove(account))).toBe('409 resource-in-use');
    expect((await account.get('/api/users/me')).status).toBe(200);
  });

  it('that has begun makes the creation of a property answer 401', async () => {
    const account = await service.account();
    const create = (): Promise<Answer> => account.post('/api/properties', propertyRequest());
    expect(await during([DELETION, account.id], 'COMMIT', create)).toBe('401 authentication-required');
    expect(await service.sql('SELECT FROM properties WHERE owner_id = $1', [account.id])).toEqual([]);
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
      const change = service.app.get(UsersService).update(account.username.toUpperCase(), { role });
      beside.push(...flow());
      await change;
      expect(new Set(await Promise.all(flow()))).toEqual(new Set([role === 'ADMIN' ? '200' : FORBIDDEN]));
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
