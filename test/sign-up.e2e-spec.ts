import bcrypt from 'bcrypt';
import type { Answer } from './support/client.js';
import { faultsOf, outcomeOf } from './support/outcome.js';
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

  describe('takes', () => {
    it.each<[string, Record<string, string | null>]>([
      ['the shortest e-mail', { email: 'a@b' }],
      ['an e-mail that no stricter grammar would take', { email: '.Ü"<x>..y@-exämple' }],
      ['a username with blanks around it', { username: ' b ' }],
      ['a username that looks like mark-up', { username: '<b>"\'%_\\' }],
      ['the shortest texts', { username: 'abc', firstName: '', lastName: '' }],
      [
        'the longest texts',
        {
          email: 'e'.repeat(255 - AT_EXAMPLE.length) + AT_EXAMPLE,
          username: 'u'.repeat(50),
          firstName: 'f'.repeat(255),
          lastName: 'l'.repeat(255),
        },
      ],
      ['the shortest username in code points of two units each', { username: HOUSE.repeat(3) }],
      [
        'the longest texts in code points of two units each',
        {
          email: HOUSE.repeat(255 - AT_EXAMPLE.length) + AT_EXAMPLE,
          username: HOUSE.repeat(50),
          firstName: HOUSE.repeat(255),
          lastName: HOUSE.repeat(255),
        },
      ],
      [
        'letters of several code points',
        { firstName: `${HEART.repeat(127)}x`, lastName: 'Zoe\u0308 Zo\u00eb' },
      ],
      ['white space around the names', { firstName: '  Ada\t\n', lastName: ' ' }],
      ['null for the names', { firstName: null, lastName: null }],
    ])('%s, and keeps it as it is', async (_, fields) => {
      const answer = await signUp(service.anonymous, signUpRequest(fields));
      expect(outcomeOf(answer)).toBe('201');
      expect(answer.json).toMatchObject(fields);
      expect((await admin.get(`/api/users/${userIn(answer).id}`)).text).toBe(answer.text);
    });

    it.each([
      ['8 characters', '12345678'],
      ['72 characters', 'p'.repeat(72)],
      ['8 code points of four bytes each', HOUSE.repeat(8)],
      ['72 code points of four bytes each', HOUSE.repeat(72)],
      ['blanks alone', ' '.repeat(8)],
    ])('a password of %s', async (_, password) => {
      const request = signUpRequest({ password });
      expect(outcomeOf(await signUp(service.anonymous, request))).toBe('201');
      expect(outcomeOf(await signIn(service.anonymous, request))).toBe('200');
    });
  });

  describe('refuses', () => {
    const notText: [string, unknown][] = [
      ['a number', 12345678],
      ['a boolean', true],
      ['an array', ['abcdefgh']],
      ['an object', { toString: 'abcdefgh' }],
    ];
    const notStorable = (around: string): [string, unknown][] => [
      ['U+0000 in it', `ab\u0000${around}`],
      ['a lone high surrogate in it', `ab\ud83c${around}`],
      ['a lone low surrogate in it', `ab\udfe0${around}`],
      ['surrogates in the wrong order', `ab\udfe0\ud83c${around}`],
    ];
    const missing: [string, unknown][] = [
      ['nothing', undefined],
      ['null', null],
      ['the empty string', ''],
    ];
    const named = (field: string, cases: [string, unknown][]): [string, string, unknown][] =>
      cases.map(([what, value]) => [field, what, value]);

    it.each([
      ...named('email', [
        ...missing,
        ...notText,
        ...notStorable(AT_EXAMPLE),
        ['256 characters', 'e'.repeat(256 - AT_EXAMPLE.length) + AT_EXAMPLE],
        ['256 code points of two units each', HOUSE.repeat(256 - AT_EXAMPLE.length) + AT_EXAMPLE],
        ['no @', 'example.com'],
        ['nothing before the @', AT_EXAMPLE],
        ['nothing after the @', 'ada@'],
        ['an @ alone', '@'],
        ['two @', 'ada@home@example.com'],
        ['two @ in a row', 'ada@@example.com'],
        ['a blank in it', `a da${AT_EXAMPLE}`],
        ['a blank before it', ` ada${AT_EXAMPLE}`],
        ['a blank after it', `ada${AT_EXAMPLE} `],
        ['a line feed after it', `ada${AT_EXAMPLE}\n`],
        ['a tab in it', `ada\t${AT_EXAMPLE}`],
        ['a no-break space in it', `ada\u00a0${AT_EXAMPLE}`],
        ['a line separator in it', `ada\u2028${AT_EXAMPLE}`],
        ['an ideographic space in it', `ada${AT_EXAMPLE}\u3000`],
        ['a bell in it', `ada\u0007${AT_EXAMPLE}`],
        ['a DEL in it', `ada${AT_EXAMPLE}\u007f`],
        ['a control character past ASCII in it', `ada\u0085${AT_EXAMPLE}`],
      ]),
      ...named('username', [
        ...missing,
        ...notText,
        ...notStorable('cd'),
        ['2 characters', 'ab'],
        ['51 characters', 'u'.repeat(51)],
        ['2 code points of two units each', HOUSE.repeat(2)],
        ['51 code points of two units each', HOUSE.repeat(51)],
        ['10,000 characters', 'u'.repeat(10_000)],
      ]),
      ...named('password', [
        ...missing,
        ...notText,
        ...notStorable('cdefgh'),
        ['7 characters', '1234567'],
        ['73 characters', 'p'.repeat(73)],
        ['7 code points of four bytes each', HOUSE.repeat(7)],
        ['73 code points of four bytes each', HOUSE.repeat(73)],
        ['10,000 characters', 'p'.repeat(10_000)],
      ]),
      ...['firstName', 'lastName'].flatMap((field) =>
        named(field, [
          ...notText,
          ...notStorable('cd'),
          ['256 characters', 'n'.repeat(256)],
          ['256 code points of two units each', HOUSE.repeat(256)],
          ['256 code points that combine', HEART.repeat(128)],
        ]),
      ),
    ])('as %s %s', async (field, _, value) => {
      const before = await count();
      const answer = await signUp(service.anonymous, signUpRequest({ [field]: value }));
      expect(outcomeOf(answer)).toBe('400 validation-failed');
      expect(answer.json).toHaveProperty('errors', { [field]: expect.stringMatching(/\w/) as string });
      expect(await count()).toBe(before);
    });

    it('naming all faults at once', async () => {
      const answer = await signUp(service.anonymous, { password: 'short', firstName: 1 });
      expect(faultsOf(answer)).toEqual(['email', 'firstName', 'password', 'username']);
    });

    it('without repeating the refused password', async () => {
      const answer = await signUp(service.anonymous, signUpRequest({ password: 'hunter2' }));
      expect(answer.text).not.toContain('hunter2');
    });
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
    };
    const answer = await signUp(service.anonymous, signUpRequest(forged));
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ role: 'USER' });
    const [row] = await service.sql(
      `SELECT role, version, created_at > now() - interval '1 hour' AS fresh FROM users WHERE id = $1`,
      [userIn(answer).id],
    );
    expect(row).toEqual({ role: 'USER', version: 1, fresh: true });
    expect(userIn(answer).id).not.toBe(424_242);
  });

  it.each([
    ['a role that does not exist', { role: 'OWNER' }],
    ['a role of another type', { role: { $ne: null } }],
    ['a constructor and a prototype', { constructor: { prototype: { role: 'ADMIN' } }, prototype: null }],
  ])('ignores %s', async (_, fields) => {
    const answer = await signUp(service.anonymous, signUpRequest(fields));
    expect(answer.json).toMatchObject({ role: 'USER' });
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
      ['the e-mail in lower case', { email: 'élodie@example.com' }, 'duplicate-email'],
      ['the same username', { username: taken.username }, 'duplicate-username'],
      ['the username in upper case', { username: 'ÉLODIE' }, 'duplicate-username'],
      ['the username in lower case', { username: 'élodie' }, 'duplicate-username'],
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
      const [one, two] = [signUpRequest(), signUpRequest()];
      await Promise.all([signUp(service.anonymous, one), signUp(service.anonymous, two)]);
      const hashes = [await storedHash(one.username), await storedHash(two.username)];
      for (const hash of hashes) {
        expect(hash).toMatch(/^\$2[aby]\$10\$[./A-Za-z0-9]{53}$/);
        expect(await bcrypt.compare(one.password, hash)).toBe(true);
      }
      expect(hashes[0]!.slice(0, 29)).not.toBe(hashes[1]!.slice(0, 29));
    });

    it.each([
      ['72 bytes as they are', 'p'.repeat(72), true],
      ['more than 72 bytes not cut off', 'é'.repeat(72), false],
    ])('%s', async (_, password, plain) => {
      const request = signUpRequest({ password });
      await signUp(service.anonymous, request);
      expect(await bcrypt.compare(password, await storedHash(request.username))).toBe(plain);
    });
  });
});
