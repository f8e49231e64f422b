import bcrypt from 'bcrypt';
import type { Answer } from './support/client.js';
import { outcomeOf } from './support/outcome.js';
import { hashAtFullCost } from './support/quick-hashes.js';
import { type Account, type Service, startService } from './support/service.js';
import { signIn, signUp, signUpRequest, userIn } from './support/sign-up.js';

const HOUSE = '🏠'; // one code point, two UTF-16 units, four bytes
const HEART = '❤️'; // two code points that look like one character
const AT_EXAMPLE = '@example.com';

describe('sign-up', () => {
  let service: Service;
  let admin: Account;

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('ADMIN');
  });

  const count = async (): Promise<number> =>
    (await service.sql<{ n: number }>('SELECT count(*)::int AS n FROM users'))[0]!.n;

  const storedHash = async (username: string): Promise<string> =>
    (
      await service.sql<{ password_hash: string }>('SELECT password_hash FROM users WHERE username = $1', [
        username,
      ])
    )[0]!.password_hash;

  describe('of a new account', () => {
    let answer: Answer;
    const request = signUpRequest({ firstName: 'Ada', lastName: 'Lovelace' });

    beforeAll(async () => (answer = await signUp(service.anonymous, request)));

    it('answers 201 with the UserResponse and nothing else', () => {
      expect(answer.status).toBe(201);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.json).toEqual({
        id: expect.any(Number) as number,
        email: request.email,
        username: request.username,
        firstName: 'Ada',
        lastName: 'Lovelace',
        role: 'USER',
      });
    });

    it('says in Location where the account is', async () => {
      expect(answer.headers.get('location')).toBe(`/api/users/${userIn(answer).id}`);
      expect((await admin.get(answer.headers.get('location')!)).text).toBe(answer.text);
    });

    it('shows neither the password nor its hash, and sets no cookie', () => {
      expect(answer.text).not.toContain(request.password);
      expect(answer.text).not.toContain('$2');
      expect(answer.headers.get('set-cookie')).toBeNull();
    });

    it('lets the account sign in', async () => {
      expect((await signIn(service.anonymous, request)).status).toBe(200);
    });
  });

  it('writes null for the optional names that are left out', async () => {
    const answer = await signUp(service.anonymous, signUpRequest());
    expect(answer.json).toMatchObject({ firstName: null, lastName: null });
  });

  it.each<[string, Record<string, string | null>]>([
    ['the shortest texts', { email: 'a@b', username: 'abc', firstName: '', lastName: '' }],
    [
      'the longest texts in code points of two units each',
      {
        email: HOUSE.repeat(255 - AT_EXAMPLE.length) + AT_EXAMPLE,
        username: HOUSE.repeat(50),
        firstName: HOUSE.repeat(255),
        lastName: `${HEART.repeat(127)}x`,
      },
    ],
    [
      'texts that a stricter grammar would not take',
      { email: '.Ü"<x>..y@-exämple', username: ` <b>"'%_\\ `, firstName: ' Ada\t\n', lastName: 'Zoe\u0308' },
    ],
    ['null for the names', { firstName: null, lastName: null }],
  ])('takes %s, and keeps them as they are', async (_, fields) => {
    const answer = await signUp(service.anonymous, signUpRequest(fields));
    expect(outcomeOf(answer)).toBe('201');
    expect(answer.json).toMatchObject(fields);
    expect((await admin.get(`/api/users/${userIn(answer).id}`)).text).toBe(answer.text);
  });

  it('does not repeat a password that it refuses', async () => {
    const answer = await signUp(service.anonymous, signUpRequest({ password: 'hunter2' }));
    expect(outcomeOf(answer)).toBe('400 validation-failed');
    expect(answer.text).not.toContain('hunter2');
  });

  it('ignores every field that the server manages', async () => {
    const forged = {
      id: 424_242,
      role: 'ADMIN',
      authorities: ['ROLE_ADMIN'],
      version: 9,
      ownerId: 424_242,
      userId: 424_242,
      createdAt: '2001-01-01T00:00:00Z',
      updatedAt: '2001-01-01T00:00:00Z',
      passwordHash: 'forged',
      password_hash: 'forged',
      enabled: false,
      constructor: { prototype: { role: 'ADMIN' } },
      prototype: null,
    };
    const answer = await signUp(service.anonymous, signUpRequest(forged));
    expect(answer.json).toMatchObject({ role: 'USER' });
    const [row] = await service.sql(
      `SELECT role, version, created_at > now() - interval '1 hour' AS fresh FROM users WHERE id = $1`,
      [userIn(answer).id],
    );
    expect(row).toEqual({ role: 'USER', version: 1, fresh: true });
    expect(userIn(answer).id).not.toBe(424_242);
  });

  describe('of a name that is taken', () => {
    const taken = signUpRequest({ email: 'Élodie@Example.com', username: 'Élodie' });
    const other = signUpRequest();

    beforeAll(async () => {
      await signUp(service.anonymous, taken);
      await signUp(service.anonymous, other);
    });

    it.each([
      ['the same e-mail', { email: taken.email }, 'duplicate-email'],
      ['the e-mail in upper case', { email: 'ÉLODIE@EXAMPLE.COM' }, 'duplicate-email'],
      ['the same username', { username: taken.username }, 'duplicate-username'],
      ['the username in upper case', { username: 'ÉLODIE' }, 'duplicate-username'],
      ['both of one account', { email: taken.email, username: 'ÉLODIE' }, 'duplicate-email'],
      ['both, of two accounts', { email: taken.email, username: other.username }, 'duplicate-email'],
    ])('answers 409 to %s', async (_, fields, slug) => {
      const before = await count();
      const answer = await signUp(service.anonymous, signUpRequest(fields));
      expect(outcomeOf(answer)).toBe(`409 ${slug}`);
      expect(answer.json).toHaveProperty('title', 'Conflict');
      expect(await count()).toBe(before);
    });

    it.each([
      ['e-mail', { email: 'Elodie@Example.com' }],
      ['username', { username: 'Élodie ' }],
    ])('takes an %s that differs in more than case', async (_, fields) => {
      expect(outcomeOf(await signUp(service.anonymous, signUpRequest(fields)))).toBe('201');
    });

    it('takes the names of an account that was deleted', async () => {
      const gone = signUpRequest();
      const { id } = userIn(await signUp(service.anonymous, gone));
      await admin.delete(`/api/users/${id}`);
      const again = await signUp(service.anonymous, gone);
      expect(again.status).toBe(201);
      expect(userIn(again).id).not.toBe(id);
    });
  });

  describe('stores of the password', () => {
    it('a bcrypt hash of cost 10 with a salt of its own', async () => {
      hashAtFullCost();
      const [one, two] = [signUpRequest(), signUpRequest()];
      await Promise.all([signUp(service.anonymous, one), signUp(service.anonymous, two)]);
      const hashes = [await storedHash(one.username), await storedHash(two.username)];
      for (const hash of hashes) {
        expect(hash).toMatch(/^\$2[aby]\$10\$[./A-Za-z0-9]{53}$/);
        expect(await bcrypt.compare(one.password, hash)).toBe(true);
      }
      expect(hashes[0]!.slice(0, 29)).not.toBe(hashes[1]!.slice(0, 29));
    });

    it('72 bytes as they are', async () => {
      const request = signUpRequest({ password: 'p'.repeat(72) });
      await signUp(service.anonymous, request);
      expect(await bcrypt.compare(request.password, await storedHash(request.username))).toBe(true);
    });
  });
});
