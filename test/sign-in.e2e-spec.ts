import bcrypt from 'bcrypt';
import { sendExactly } from './support/exact-request.js';
import { contentOf } from './support/forged-token.js';
import { faultsOf, outcomeOf } from './support/outcome.js';
import { type Service, startService } from './support/service.js';
import { authIn, type Credentials, signIn, signUp, signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

const HOUSE = '🏠';
/** The overload that the service uses. */
const hashing: { compare: (password: string, hash: string) => Promise<boolean> } = bcrypt;
const BCRYPT = /^\$2[aby]\$10\$[./A-Za-z0-9]{53}$/;
const REALM = 'Bearer realm="property-finance"';

describe('sign-in', () => {
  let service: Service;
  const known = signUpRequest({ username: 'Zoë Known', password: 'correct horse battery' });

  beforeAll(async () => {
    service = await startService();
    await signUp(service.anonymous, known);
  });
  afterEach(() => jest.restoreAllMocks());

  const registered = async (password: string): Promise<Credentials> => {
    const request = signUpRequest({ password });
    expect(outcomeOf(await signUp(service.anonymous, request))).toBe('201');
    return request;
  };

  it('answers 200 with the AuthResponse and nothing else', async () => {
    const answer = await signIn(service.anonymous, known);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{43}$/) as string,
      tokenType: 'Bearer',
      expiresIn: 3600,
      user: {
        id: expect.any(Number) as number,
        email: known.email,
        username: known.username,
        firstName: null,
        lastName: null,
        role: 'USER',
      },
    });
    expect(answer.text).not.toContain('$2');
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('gives a token of the account, signed with HS256, that lives for an hour', async () => {
    const { accessToken: token, user } = authIn(await signIn(service.anonymous, known));
    const claims = contentOf(token, 1) as { iat: number };
    expect(contentOf(token, 0)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(claims).toEqual({
      sub: String(user.id),
      authorities: ['ROLE_USER'],
      iat: expect.any(Number) as number,
      exp: claims.iat + 3600,
    });
    const me = await service.anonymous.get('/api/users/me', { authorization: `Bearer ${token}` });
    expect(me.json).toEqual(user);
  });

  it('names the role of an ADMIN in the authorities', async () => {
    const request = await registered('an admin of some sort');
    await service.sql(`UPDATE users SET role = 'ADMIN' WHERE username = $1`, [request.username]);
    const { accessToken, user } = authIn(await signIn(service.anonymous, request));
    expect(user.role).toBe('ADMIN');
    expect(contentOf(accessToken, 1)).toMatchObject({ authorities: ['ROLE_ADMIN'] });
  });

  it.each(['zoë known', 'ZOË KNOWN'])('finds the account as %s too', async (username) => {
    const answer = await signIn(service.anonymous, { ...known, username });
    expect(authIn(answer).user.username).toBe(known.username);
  });

  it.each(['Zoë Known ', 'Zoe Known', 'Zoë_Known'])('does not find the account as "%s"', async (username) => {
    const answer = await signIn(service.anonymous, { ...known, username });
    expect(outcomeOf(answer)).toBe('401 bad-credentials');
  });

  it('does not take a lone surrogate for the replacement character of a username', async () => {
    const request = signUpRequest({ username: 'Zoë \ufffd' });
    await signUp(service.anonymous, request);
    expect(outcomeOf(await signIn(service.anonymous, request))).toBe('200');
    const answer = await signIn(service.anonymous, { ...request, username: 'Zoë \ud83c' });
    expect(outcomeOf(answer)).toBe('401 bad-credentials');
  });

  describe('with credentials that are wrong', () => {
    const impossible: [string, string][] = [
      ['an unknown username', 'nobody-of-that-name'],
      ['an empty username', ''],
      ['a username of 10,000 characters', 'u'.repeat(10_000)],
      ['a username with U+0000', 'Zoë Known\u0000'],
      ['a username with a lone high surrogate', 'Zoë Known\ud83c'],
      ['a username that is SQL', `' OR 1=1 --`],
    ];

    /** All that a client can see, but the time. The request's id is the client's. */
    const bytesOf = async (credentials: Credentials): Promise<unknown> => {
      const { status, rawHeaders, text } = await sendExactly(service.url, {
        method: 'POST',
        path: '/api/auth/signin',
        headers: ['content-type', 'application/json', 'x-request-id', 'the-same'],
        body: JSON.stringify(credentials),
      });
      expect(text).toContain('"timestamp":"');
      const date = rawHeaders.findIndex((name) => name.toLowerCase() === 'date');
      return {
        status,
        headers: rawHeaders.toSpliced(date + 1, 1),
        text: text.replace(/"timestamp":"[^"]*"/, ''),
      };
    };

    it('answers 401 with a challenge and without a field error', async () => {
      const answer = await signIn(service.anonymous, { ...known, password: 'wrong' });
      expect(outcomeOf(answer)).toBe('401 bad-credentials');
      expect(answer.json).toMatchObject({ title: 'Authentication failed', instance: '/api/auth/signin' });
      expect(answer.json).not.toHaveProperty('errors');
      expect(answer.headers.get('www-authenticate')).toBe(REALM);
    });

    describe('answers byte for byte as to a wrong password, and after one hash of the same cost, to', () => {
      let wrongPassword: unknown;

      beforeAll(async () => (wrongPassword = await bytesOf({ ...known, password: 'wrong' })));

      it.each(impossible)('%s', async (_, username) => {
        const compare = jest.spyOn(hashing, 'compare');
        expect(await bytesOf({ username, password: known.password })).toEqual(wrongPassword);
        expect(compare.mock.calls).toEqual([[known.password, expect.stringMatching(BCRYPT) as string]]);
      });
    });

    it('compares with a hash that bcrypt can read: of a malformed one it would say no at once', async () => {
      const compare = jest.spyOn(hashing, 'compare');
      await signIn(service.anonymous, { username: 'nobody-of-that-name', password: 'any' });
      const salt = compare.mock.calls[0]![1].slice(0, 29);
      expect((await bcrypt.hash('any', salt)).slice(0, 29)).toBe(salt);
    });
  });

  describe('has no rule for a password', () => {
    it.each([
      ['empty', ''],
      ['of NUL alone', '\u0000'],
      ['of a lone surrogate', '\ud83c'],
    ])('%s but that it is wrong', async (_, password) => {
      expect(outcomeOf(await signIn(service.anonymous, { ...known, password }))).toBe('401 bad-credentials');
    });
  });

  describe('verifies all of a password', () => {
    const house72 = HOUSE.repeat(72);
    const ascii72 = 'p'.repeat(72);

    it.each<[string, string, string[]]>([
      ['72 characters of four bytes', house72, [HOUSE.repeat(18), HOUSE.repeat(71) + '🏡', house72 + HOUSE]],
      ['72 bytes', ascii72, [ascii72 + 'p', ascii72 + '\u0000', 'p'.repeat(71)]],
      ['8 characters', '12345678', ['12345678\u0000', '12345678\u0000junk', '1234567']],
      ['letters in their case', 'Pass-Word', ['pass-word']],
      ['a letter as it is composed', 'Zo\u00eb and Zo\u00eb', ['Zoe\u0308 and Zoe\u0308']],
      ['a replacement character', 'pass-\ufffd-word', ['pass-\ud83c-word', 'pass-\udfe0-word']],
      [
        'a replacement character past 72 bytes',
        'é'.repeat(60) + '\ufffd',
        ['\ud83c', '\udfe0'].map((lone) => 'é'.repeat(60) + lone),
      ],
    ])('of %s', async (_, password, wrong) => {
      const { username } = await registered(password);
      expect(outcomeOf(await signIn(service.anonymous, { username, password }))).toBe('200');
      const answers = wrong.map(async (other) => [
        other,
        outcomeOf(await signIn(service.anonymous, { username, password: other })),
      ]);
      expect(await Promise.all(answers)).toEqual(wrong.map((other) => [other, '401 bad-credentials']));
    });
  });

  describe('refuses a body', () => {
    it.each<[string, Record<string, unknown>, string[]]>([
      ['without a username', { password: 'x' }, ['username']],
      ['without a password', { username: 'x' }, ['password']],
      ['without both', {}, ['password', 'username']],
      ['with null for both', { username: null, password: null }, ['password', 'username']],
      ['with a number as username', { username: 1, password: 'x' }, ['username']],
      ['with an object as password', { username: 'x', password: { $ne: '' } }, ['password']],
    ])('%s', async (_, body, fields) => {
      const answer = await signIn(service.anonymous, body);
      expect(outcomeOf(answer)).toBe('400 validation-failed');
      expect(faultsOf(answer)).toEqual(fields);
    });
  });

  it('lets eighty sign in at once, who all come to their turn in time', async () => {
    jest
      .spyOn(hashing, 'compare')
      .mockImplementation(() => new Promise((resolve) => setTimeout(() => resolve(true), 25)));
    const all = Array.from({ length: 80 }, () => signIn(service.anonymous, known));
    expect(new Set((await Promise.all(all)).map(outcomeOf))).toEqual(new Set(['200']));
  });

  describe('of a service with other settings', () => {
    it('gives tokens that live as long as configured', async () => {
      const other = await startService({ JWT_EXPIRATION: 'PT90S' }, service.settings.database.url);
      const { accessToken, expiresIn } = authIn(await signIn(other.anonymous, known));
      const { iat, exp } = contentOf(accessToken, 1) as { iat: number; exp: number };
      expect([expiresIn, exp - iat]).toEqual([90, 90]);
    });

    it('answers 503 to whoever would wait too long for the hash', async () => {
      const env = { PASSWORD_HASH_WAIT: '1ms', UV_THREADPOOL_SIZE: '2' };
      const other = await startService(env, service.settings.database.url);
      let finish!: (equal: boolean) => void;
      const hash = new Promise<boolean>((resolve) => (finish = resolve));
      const compare = jest.spyOn(hashing, 'compare').mockReturnValue(hash);
      const first = signIn(other.anonymous, known);
      await until(() => compare.mock.calls.length > 0);
      const second = await signIn(other.anonymous, known);
      finish(true);
      expect(outcomeOf(second)).toBe('503 service-unavailable');
      expect(second.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(outcomeOf(await first)).toBe('200');
    });
  });
});
