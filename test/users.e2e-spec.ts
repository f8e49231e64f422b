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

  describe('GET /api/users/me', () => {
    it('answers the account of the caller, USER or ADMIN', async () => {
      expect((await user.get('/api/users/me')).json).toEqual(response(user));
      expect((await admin.get('/api/users/me')).json).toEqual(response(admin, 'ADMIN'));
    });

    it.each(['DELETE', 'PUT', 'POST', 'PATCH'])('answers 405 to %s, for USER and ADMIN', async (method) => {
      for (const account of [user, admin]) {
        const answer = await account.send(method, '/api/users/me', { body: {} });
        expect(outcomeOf(answer)).toBe('405 method-not-allowed');
        expect(answer.headers.get('allow')).toBe('GET, HEAD');
        expect(await isThere(account)).toBe(true);
      }
    });
  });

  describe('GET /api/users', () => {
    it('answers every account in one list, ordered by id', async () => {
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

    it('answers no password hash', async () => {
      expect((await admin.get('/api/users')).text).not.toContain('$2');
    });
  });

  describe('GET /api/users/:id', () => {
    it('answers exactly the fields of UserResponse', async () => {
      const answer = await admin.get(`/api/users/${user.id}`);
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual(response(user));
    });

    it('answers names with quotes, line breaks and control characters as they were sent', async () => {
      const account = await service.account();
      const name = '"\\\u0001\u2028<é🏠>';
      await service.sql('UPDATE users SET first_name = $1, last_name = $1 WHERE id = $2', [name, account.id]);
      const answer = await admin.get(`/api/users/${account.id}`);
      expect(userIn(answer)).toMatchObject({ firstName: name, lastName: name });
    });

    it('answers every digit of an id past 2^53', async () => {
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

  describe.each(['GET', 'DELETE'])('%s /api/users/:id', (method) => {
    it.each(['0', '-9223372036854775808'])('answers 404 for the id %s', async (id) => {
      expect(outcomeOf(await admin.send(method, `/api/users/${id}`))).toBe('404 not-found');
    });

    it.each(['abc', '1.0', '9223372036854775808'])('answers 400 for the malformed id %s', async (id) => {
      const answer = await admin.send(method, `/api/users/${id}`);
      expect(outcomeOf(answer)).toBe('400 validation-failed');
      expect(faultsOf(answer)).toEqual(['id']);
    });
  });

  describe('DELETE /api/users/:id', () => {
    it('answers 200 without a body, and the account is gone', async () => {
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

    it('answers 409 while properties belong to the account, and deletes nothing', async () => {
      const account = await service.account();
      const property = await createProperty(account);
      const answer = await admin.delete(`/api/users/${account.id}`);
      expect(outcomeOf(answer)).toBe('409 resource-in-use');
      expect((await account.get('/api/users/me')).json).toEqual(response(account));
      expect((await account.get(`/api/properties/${property.id}`)).status).toBe(200);

      await account.delete(`/api/properties/${property.id}`);
      expect(outcomeOf(await admin.delete(`/api/users/${account.id}`))).toBe('200');
    });

    it('of an ADMIN’s own account answers 200 and ends its token', async () => {
      const other = await service.account('ADMIN');
      expect(outcomeOf(await other.delete(`/api/users/${other.id}`))).toBe('200');
      expect(outcomeOf(await other.get('/api/users/me'))).toBe('401 authentication-required');
    });
  });

  it('answer a USER 403, even for the own account', async () => {
    for (const method of ['GET', 'DELETE']) {
      expect(outcomeOf(await user.send(method, `/api/users/${user.id}`))).toBe('403 access-denied');
    }
    expect(await isThere(user)).toBe(true);
  });
});
