import { createProperty } from './support/factories.js';
import { faultsOf, outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';
import { userIn, type UserResponse } from './support/sign-up.js';

describe('users', () => {
  let service: Service;
  let admin: Account;
  let user: Account;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('ADMIN');
    user = await service.account();
  });

  const response = ({ id, username }: Account, role = 'USER'): UserResponse => ({
    id: Number(id),
    email: `${username}@example.com`,
    username,
    firstName: null,
    lastName: null,
    role,
  });

  const isThere = async (account: Account): Promise<boolean> =>
    (await admin.get(`/api/users/${account.id}`)).status === 200;

  describe('me', () => {
    it('is the caller, USER or ADMIN', async () => {
      expect((await user.get('/api/users/me')).json).toEqual(response(user));
      expect((await admin.get('/api/users/me')).json).toEqual(response(admin, 'ADMIN'));
    });

    it.each(['DELETE', 'PUT', 'POST', 'PATCH'])('knows no %s, for USER and ADMIN', async (method) => {
      for (const account of [user, admin]) {
        const answer = await account.send(method, '/api/users/me', { body: {} });
        expect(outcomeOf(answer)).toBe('405 method-not-allowed');
        expect(answer.headers.get('allow')).toBe('GET, HEAD');
        expect(await isThere(account)).toBe(true);
      }
    });
  });

  describe('list', () => {
    it('holds every account, by id, and is neither paged nor cut', async () => {
      for (let i = 0; i < 120; i++) await service.account();
      // An updated row moves to the end of the table: an order by accident would show.
      await service.sql('UPDATE users SET updated_at = now() WHERE id % 3 = 1');
      const ids = await service.sql<{ id: string }>('SELECT id FROM users ORDER BY id');
      const answer = await admin.get('/api/users?page=0&size=1&sort=id,desc');
      expect(answer.status).toBe(200);
      const list = answer.json as UserResponse[];
      expect(list.map(({ id }) => String(id))).toEqual(ids.map(({ id }) => id));
      expect(list.length).toBeGreaterThan(120);
      expect(list.slice(0, 2)).toEqual([response(admin, 'ADMIN'), response(user)]);
    });

    it('shows no hash', async () => {
      expect((await admin.get('/api/users')).text).not.toContain('$2');
    });
  });

  describe('a single one', () => {
    it('is a UserResponse and nothing else', async () => {
      const answer = await admin.get(`/api/users/${user.id}`);
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual(response(user));
    });

    it('keeps what needs escaping in JSON', async () => {
      const account = await service.account();
      const name = '"\\\u0001\u2028<é🏠>';
      await service.sql('UPDATE users SET first_name = $1, last_name = $1 WHERE id = $2', [name, account.id]);
      const answer = await admin.get(`/api/users/${account.id}`);
      expect(userIn(answer)).toMatchObject({ firstName: name, lastName: name });
    });

    it('with an id past 2^53 shows every digit of it', async () => {
      const id = '9007199254740993';
      await service.sql(
        `INSERT INTO users (id, email, username, password_hash)
         SELECT $1, 'past@2.53', 'past-2-53', password_hash FROM users LIMIT 1`,
        [id],
      );
      expect((await admin.get(`/api/users/${id}`)).text).toMatch(/^\{"id":9007199254740993,/);
      expect((await admin.delete(`/api/users/${id}`)).status).toBe(200);
    });
  });

  describe.each(['GET', 'DELETE'])('%s', (method) => {
    it.each(['0', '-9223372036854775808'])('of %s, which names nobody, is 404', async (id) => {
      expect(outcomeOf(await admin.send(method, `/api/users/${id}`))).toBe('404 not-found');
    });

    it.each(['abc', '1.0', '9223372036854775808'])('of %s, which is no id, is 400', async (id) => {
      const answer = await admin.send(method, `/api/users/${id}`);
      expect(outcomeOf(answer)).toBe('400 validation-failed');
      expect(faultsOf(answer)).toEqual(['id']);
    });
  });

  describe('delete', () => {
    it('answers 200 with nothing, and the account is gone', async () => {
      const account = await service.account();
      const answer = await admin.delete(`/api/users/${account.id}`);
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(answer.headers.get('content-type')).toBeNull();
      expect(answer.headers.get('content-length')).toBe('0');
      expect(outcomeOf(await admin.get(`/api/users/${account.id}`))).toBe('404 not-found');
      expect(outcomeOf(await admin.delete(`/api/users/${account.id}`))).toBe('404 not-found');
      const list = (await admin.get('/api/users')).json as UserResponse[];
      expect(list.map(({ id }) => String(id))).not.toContain(account.id);
    });

    it('is refused with 409 while properties depend on the account, and removes nothing', async () => {
      const account = await service.account();
      const property = await createProperty(account);
      const answer = await admin.delete(`/api/users/${account.id}`);
      expect(outcomeOf(answer)).toBe('409 resource-in-use');
      expect((await account.get('/api/users/me')).json).toEqual(response(account));
      expect((await account.get(`/api/properties/${property.id}`)).status).toBe(200);

      await account.delete(`/api/properties/${property.id}`);
      expect(outcomeOf(await admin.delete(`/api/users/${account.id}`))).toBe('200');
    });

    it('of the own account is possible for an ADMIN, and ends its token', async () => {
      const other = await service.account('ADMIN');
      expect(outcomeOf(await other.delete(`/api/users/${other.id}`))).toBe('200');
      expect(outcomeOf(await other.get('/api/users/me'))).toBe('401 authentication-required');
    });
  });

  it('are closed to a USER even where it is the own account', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect(outcomeOf(await user.send(method, `/api/users/${user.id}`))).toBe('403 access-denied');
    }
    expect(await isThere(user)).toBe(true);
  });
});
