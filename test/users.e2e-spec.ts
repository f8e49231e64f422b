import { createProperty } from './support/factories.js';
import { faultsOf, outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';
import { type UserResponse } from './support/sign-up.js';

// Roles and methods are in test/access-matrix.e2e-spec.ts.
describe('/api/users', () => {
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

  it('GET /me and GET /:id answer exactly the fields of UserResponse', async () => {
    expect((await user.get('/api/users/me')).json).toEqual(response(user));
    expect((await admin.get('/api/users/me')).json).toEqual(response(admin, 'ADMIN'));
    expect((await admin.get(`/api/users/${user.id}`)).json).toEqual(response(user));
  });

  it('GET / answers every account in one list, by id, without password hashes', async () => {
    for (let i = 0; i < 120; i++) await service.account();
    // An updated row moves to the end of the table: an order by accident would show.
    await service.sql('UPDATE users SET updated_at = now() WHERE id % 3 = 1');
    const ids = await service.sql<{ id: string }>('SELECT id FROM users ORDER BY id');
    const answer = await admin.get('/api/users?page=0&size=1&sort=id,desc');
    const list = answer.json as UserResponse[];
    expect(list.map(({ id }) => String(id))).toEqual(ids.map(({ id }) => id));
    expect(list.length).toBeGreaterThan(120);
    expect(list.slice(0, 2)).toEqual([response(admin, 'ADMIN'), response(user)]);
    expect(answer.text).not.toContain('$2');
  });

  it('GET /:id answers any character of a name, and every digit of an id past 2^53', async () => {
    const id = '9007199254740993';
    const name = '"\\\u0001\u2028<é🏠>';
    await service.sql(
      `INSERT INTO users (id, email, username, first_name, last_name, password_hash)
       SELECT $1, 'past@2.53', 'past-2-53', $2, $2, password_hash FROM users LIMIT 1`,
      [id, name],
    );
    const answer = await admin.get(`/api/users/${id}`);
    expect(answer.text).toMatch(/^\{"id":9007199254740993,/);
    expect(answer.json).toMatchObject({ firstName: name, lastName: name });
    expect(outcomeOf(await admin.delete(`/api/users/${id}`))).toBe('200');
  });

  it.each([
    ['0', '404 not-found'],
    ['-9223372036854775808', '404 not-found'],
    ['abc', '400 validation-failed'],
    ['1.0', '400 validation-failed'],
    ['9223372036854775808', '400 validation-failed'],
  ])('GET and DELETE /%s answer %s', async (id, outcome) => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await admin.send(method, `/api/users/${id}`);
      expect([outcomeOf(answer), ...faultsOf(answer)]).toEqual(
        outcome.startsWith('400') ? [outcome, 'id'] : [outcome],
      );
    }
  });

  it('DELETE /:id answers 200 without a body, then 404; the token of the account gets 401', async () => {
    const account = await service.account('ADMIN');
    const answer = await account.delete(`/api/users/${account.id}`);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect([answer.headers.get('content-type'), answer.headers.get('content-length')]).toEqual([null, '0']);
    expect(outcomeOf(await account.get('/api/users/me'))).toBe('401 authentication-required');
    expect(outcomeOf(await admin.get(`/api/users/${account.id}`))).toBe('404 not-found');
    expect(outcomeOf(await admin.delete(`/api/users/${account.id}`))).toBe('404 not-found');
  });

  it('DELETE /:id answers 409 while properties belong to the account, and deletes nothing', async () => {
    const account = await service.account();
    const { id } = await createProperty(account);
    expect(outcomeOf(await admin.delete(`/api/users/${account.id}`))).toBe('409 resource-in-use');
    expect((await account.get('/api/users/me')).json).toEqual(response(account));
    expect(outcomeOf(await account.delete(`/api/properties/${id}`))).toBe('200');
    expect(outcomeOf(await admin.delete(`/api/users/${account.id}`))).toBe('200');
  });
});
