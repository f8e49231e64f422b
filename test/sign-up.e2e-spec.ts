import bcrypt from 'bcrypt';
import { expectProblem, outcomeOf } from './support/responses.js';
import { hashAtFullCost } from './support/quick-hashes.js';
import { type Account, type Service, startService } from './support/service.js';
import { signIn, signUp, signUpRequest, userIn } from './support/sign-up.js';

// The values of its fields are in test/validation-matrix.e2e-spec.ts.
describe('POST /api/auth/signup', () => {
  let service: Service;
  let admin: Account;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('ADMIN');
  });

  it('answers 201 with the UserResponse and its Location, without password, hash or cookie', async () => {
    const { password, ...fields } = signUpRequest({ firstName: 'Ada', lastName: 'Lovelace' });
    const response = await signUp(service.anonymous, { ...fields, password });
    expect(outcomeOf(response)).toBe('201');
    const { id } = userIn(response);
    expect(response.json).toEqual({ id: expect.any(Number) as number, ...fields, role: 'USER' });
    expect(response.headers.get('location')).toBe(`/api/users/${id}`);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect((await admin.get(`/api/users/${id}`)).text).toBe(response.text);
    expect(outcomeOf(await signIn(service.anonymous, { ...fields, password }))).toBe('200');
  });

  it('answers 403 with SIGN_UP=closed, whatever the body, and sign-in goes on', async () => {
    const closed = await startService({ SIGN_UP: 'closed' }, service.settings.database.url);
    const known = signUpRequest();
    await signUp(service.anonymous, known);
    for (const body of [signUpRequest(), '{'])
      expectProblem(await closed.anonymous.post('/api/auth/signup', body), 'access-denied');
    expect((await signIn(closed.anonymous, known)).status).toBe(200);
  });

  it('answers 400 to a short password, without repeating it', async () => {
    const response = await signUp(service.anonymous, signUpRequest({ password: 'hunter2' }));
    expect([outcomeOf(response), response.text.includes('hunter2')]).toEqual([
      '400 validation-failed',
      false,
    ]);
  });

  it('ignores fields that the server manages', async () => {
    const forged = {
      ...{
        id: 424_242,
        version: 9,
        createdAt: '2001-01-01T00:00:00Z',
        passwordHash: 'x',
        password_hash: 'x',
      },
      ...{ role: 'ADMIN', authorities: ['ROLE_ADMIN'], prototype: null },
      constructor: { prototype: { role: 'ADMIN' } },
    };
    const { id, role } = userIn(await signUp(service.anonymous, signUpRequest(forged)));
    expect([id === 424_242, role]).toEqual([false, 'USER']);
    const stored = `SELECT role, version, created_at > now() - interval '1 hour' AS fresh FROM users WHERE id = $1`;
    expect(await service.sql(stored, [id])).toEqual([{ role: 'USER', version: 1, fresh: true }]);
  });

  const taken = signUpRequest({ email: 'Élodie@Example.com', username: 'Élodie' });
  const other = signUpRequest();

  it.each([
    ['409 duplicate-email', { email: taken.email }],
    ['409 duplicate-email', { email: 'ÉLODIE@EXAMPLE.COM' }],
    ['409 duplicate-username', { username: taken.username }],
    ['409 duplicate-username', { username: 'ÉLODIE' }],
    ['409 duplicate-email', { email: taken.email, username: 'ÉLODIE' }],
    ['409 duplicate-email', { email: taken.email, username: other.username }],
    ['201', { email: 'Elodie@Example.com' }],
    ['201', { username: 'Élodie ' }],
  ])('beside another account answers %s to %j', async (outcome, fields) => {
    for (const request of [taken, other]) await signUp(service.anonymous, request);
    const count = async (): Promise<number> => (await service.sql('SELECT FROM users')).length;
    const before = await count();
    expect(outcomeOf(await signUp(service.anonymous, signUpRequest(fields)))).toBe(outcome);
    expect((await count()) - before).toBe(outcome === '201' ? 1 : 0);
  });

  it('stores a bcrypt hash of cost 10 of all 72 bytes, each with its own salt', async () => {
    hashAtFullCost();
    const password = 'p'.repeat(72);
    const requests = [1, 2].map(() => signUpRequest({ password }));
    for (const request of requests) await signUp(service.anonymous, request);
    const names = requests.map(({ username }) => username);
    const stored = 'SELECT password_hash AS hash FROM users WHERE username = ANY ($1)';
    const hashes = (await service.sql<{ hash: string }>(stored, [names])).map(({ hash }) => hash);
    expect(new Set(hashes.map((hash) => hash.slice(0, 29))).size).toBe(2);
    for (const hash of hashes) {
      expect(hash).toMatch(/^\$2[aby]\$10\$[./A-Za-z0-9]{53}$/);
      expect(await bcrypt.compare(password, hash)).toBe(true);
    }
  });
});
