import bcrypt from 'bcrypt';
import { bodyOf, expectFaults, outcomeOf } from './support/responses.js';
import { Client } from './support/client.js';
import { contentOf } from './support/forged-token.js';
import { type Service, startService } from './support/service.js';
import { type Credentials, signIn, signUp, signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

const HOUSE = '🏠';
/** The overload that the service uses. */
const hashing: { compare: (password: string, hash: string) => Promise<boolean> } = bcrypt;
const WRONG = '401 bad-credentials';

describe('POST /api/auth/signin', () => {
  let service: Service;
  const known = signUpRequest({ username: 'Zoë Known', password: 'correct horse battery' });

  beforeAll(async () => {
    service = await startService();
    await signUp(service.anonymous, known);
  });

  const outcomeFor = async (body: object): Promise<string> =>
    outcomeOf(await signIn(service.anonymous, body));

  it.each(['USER', 'ADMIN'])('answers 200 with the account and a token for an hour: %s', async (role) => {
    await service.sql('UPDATE users SET role = $1 WHERE username = $2', [role, known.username]);
    const response = await signIn(service.anonymous, known);
    const {
      accessToken: token,
      user,
      ...rest
    } = bodyOf(response) as { accessToken: string; user: { id: number } };
    expect(rest).toEqual({ tokenType: 'Bearer', expiresIn: 3600 });
    const { email, username } = known;
    expect(user).toEqual({ id: user.id, email, username, firstName: null, lastName: null, role });
    const { iat, ...claims } = contentOf(token, 1) as { iat: number };
    expect(contentOf(token, 0)).toEqual({ alg: 'HS256', typ: 'JWT', kid: expect.any(String) as unknown });
    expect(claims).toEqual({ sub: String(user.id), authorities: [`ROLE_${role}`], exp: iat + 3600 });
    expect((await new Client(service.url, token).get('/api/users/me')).json).toEqual(user);
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  it.each<[string, string, string]>([
    ['200', 'Zoë Known', 'zoë known'],
    ['200', 'Zoë Known', 'ZOË KNOWN'],
    [WRONG, 'Zoë Known', 'Zoë Known '],
    [WRONG, 'Zoë Known', 'Zoe Known'],
    [WRONG, 'Zoë Known', 'Zoë_Known'],
    [WRONG, 'Zoë \ufffd', 'Zoë \ud83c'],
  ])('answers %s to the account "%s" for "%s"', async (outcome, username, given) => {
    await signUp(service.anonymous, signUpRequest({ username, password: known.password }));
    expect(await outcomeFor({ username: given, password: known.password })).toBe(outcome);
  });

  /** All that a client can see, apart from the time. */
  const bytesOf = async (credentials: Credentials): Promise<unknown> => {
    const id = { 'x-request-id': 'the-same' };
    const { status, headers, text } = await service.anonymous.post('/api/auth/signin', credentials, id);
    headers.delete('date');
    expect(status).toBe(401);
    return [status, [...headers], text.replace(/"timestamp":"[^"]+"/, '')];
  };

  it.each([
    ['unknown', 'nobody-of-that-name'],
    ['empty', ''],
    ['of 10,000 characters', 'u'.repeat(10_000)],
    ['with U+0000', 'Zoë Known\u0000'],
    ['with a lone surrogate', 'Zoë Known\ud83c'],
  ])('answers a username %s as a wrong password, after one comparison at cost 10', async (_, username) => {
    const compare = jest.spyOn(hashing, 'compare');
    const wrongPassword = await bytesOf({ ...known, password: 'wrong' });
    expect(await bytesOf({ username, password: known.password })).toEqual(wrongPassword);
    const hash = expect.stringMatching(/^\$2[aby]\$10\$[./A-Za-z0-9]{53}$/) as string;
    expect(compare.mock.calls.map(([password]) => password)).toEqual(['wrong', known.password]);
    expect(compare.mock.calls.map(([, compared]) => compared)).toEqual([hash, hash]);
    const salt = compare.mock.calls[1]![1].slice(0, 29);
    expect(await bcrypt.hash('any', salt)).toContain(salt); // bcrypt refuses a malformed hash at once
  });

  const house72 = HOUSE.repeat(72);
  const ascii72 = 'p'.repeat(72);

  it.each<[string, string[]]>([
    [house72, [HOUSE.repeat(18), HOUSE.repeat(71) + '🏡', house72 + HOUSE]],
    [ascii72, [ascii72 + 'p', ascii72 + '\u0000', 'p'.repeat(71)]],
    ['12345678', ['12345678\u0000', '12345678\u0000junk', '1234567', '', '\u0000']],
    ['Pass-Word', ['pass-word']],
    ['Zo\u00eb and Zo\u00eb', ['Zoe\u0308 and Zoe\u0308']],
    ['pass-\ufffd-word', ['pass-\ud83c-word', 'pass-\udfe0-word']],
    ['é'.repeat(60) + '\ufffd', ['é', '\ud83c', '\udfe0'].map((end) => 'é'.repeat(60) + end)],
  ])('verifies every character of the password %j', async (password, others) => {
    const request = signUpRequest({ password });
    expect(outcomeOf(await signUp(service.anonymous, request))).toBe('201');
    const outcomes = [password, ...others].map((each) => outcomeFor({ ...request, password: each }));
    expect(await Promise.all(outcomes)).toEqual(['200', ...others.map(() => WRONG)]);
  });

  it.each<[object, string[]]>([
    [{ password: 'x' }, ['username']],
    [{ username: null, password: null }, ['password', 'username']],
    [{ username: 1, password: 'x' }, ['username']],
    [{ username: 'x', password: { $ne: '' } }, ['password']],
  ])('answers 400 to %j', async (body, fields) => {
    expectFaults(await signIn(service.anonymous, body), ...fields);
  });

  it('answers 200 to eighty at once', async () => {
    const all = await Promise.all(Array.from({ length: 80 }, () => outcomeFor(known)));
    expect(new Set(all)).toEqual(new Set(['200']));
  });

  it('answers 503 when the hash would wait longer than PASSWORD_HASH_WAIT', async () => {
    const env = { PASSWORD_HASH_WAIT: '1ms', UV_THREADPOOL_SIZE: '2', JWT_EXPIRATION: '1500ms' };
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
    const { accessToken, expiresIn } = bodyOf(await first) as { accessToken: string; expiresIn: number };
    const { iat, exp } = contentOf(accessToken, 1) as { iat: number; exp: number };
    expect([expiresIn, exp - iat]).toEqual([1, 1]);
  });
});
