import { outcomeOf } from './support/responses.js';
import { createProperty } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';

// Roles, methods and malformed ids are in test/access-matrix.e2e-spec.ts.
describe('/api/users', () => {
  let service: Service;
  let admin: Account;
  let user: Account;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('ADMIN');
    user = await service.account();
  });

  const userOf = ({ id, username }: Account, role = 'USER'): object => {
    const names = { email: `${username}@example.com`, username, firstName: null, lastName: null };
    return { id: Number(id), ...names, role };
  };

  it('GET / answers every account in one list, by id, with the fields of GET /me and GET /:id', async () => {
    await service.sql(
      `INSERT INTO users (email, username, password_hash)
       SELECT n || '@x', 'user ' || n, password_hash FROM users, generate_series(1, 120) n WHERE id = $1`,
      [user.id],
    );
    // An updated row moves to the end of the table: an order by accident would show.
    await service.sql('UPDATE users SET updated_at = now() WHERE id % 3 = 1');
    const ids = await service.sql<{ id: string }>('SELECT id FROM users ORDER BY id');
    const list = (await admin.get('/api/users?page=0&size=1&sort=id,desc')).json as { id: number }[];
    expect(list.map(({ id }) => String(id))).toEqual(ids.map(({ id }) => id));
    expect(list).toHaveLength(122);
    expect(list.slice(0, 2)).toEqual([userOf(admin, 'ADMIN'), userOf(user)]);
    expect((await admin.get('/api/users/me')).json).toEqual(userOf(admin, 'ADMIN'));
    expect((await admin.get(`/api/users/${user.id}`)).json).toEqual(userOf(user));
  });

  it('GET /:id answers any character of a name, and every digit of an id past 2^53', async () => {
    const id = '9007199254740993';
    const name = '"\\\u0001\u2028<é🏠>';
    await service.sql(
      `INSERT INTO users (id, email, username, first_name, last_name, password_hash)
       SELECT $1, 'past@2.53', 'past-2-53', $2, $2, password_hash FROM users LIMIT 1`,
      [id, name],
    );
    const response = await admin.get(`/api/users/${id}`);
    expect(response.text).toMatch(/^\{"id":9007199254740993,/);
    expect(response.json).toMatchObject({ firstName: name, lastName: name });
    expect(outcomeOf(await admin.delete(`/api/users/${id}`))).toBe('200');
  });

  it('DELETE /:id answers 409 while properties belong to the account; then 200 without a body; then 404', async () => {
    const account = await service.account('ADMIN');
    const path = `/api/users/${account.id}`;
    const { id } = await createProperty(account);
    expect(outcomeOf(await admin.delete(path))).toBe('409 resource-in-use');
    expect((await account.get(path)).json).toEqual(userOf(account, 'ADMIN'));
    await account.delete(`/api/properties/${id}`);
    const response = await account.delete(path);
    expect([response.status, response.text]).toEqual([200, '']);
    expect([response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([
      null,
      '0',
    ]);
    expect(outcomeOf(await admin.get(path))).toBe('404 not-found');
    expect(outcomeOf(await admin.delete(path))).toBe('404 not-found');
    expect(outcomeOf(await account.get('/api/users/me'))).toBe('401 authentication-required');
  });
});
