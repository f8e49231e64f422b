import jwt from 'jsonwebtoken';
import { Tokens } from './tokens.js';

const SECRET = 'a-secret-for-tests-only-0123456789abcdef';
const OTHER_SECRET = 'another-secret-for-tests-only-0123456789';
const HOUR = 3_600_000;

const tokensFor = (lifetime: number, previousSecret?: string): Tokens =>
  new Tokens({ jwt: { secret: SECRET, previousSecret, lifetime } });

const part = (content: unknown): string => Buffer.from(JSON.stringify(content)).toString('base64url');

describe('Tokens', () => {
  const tokens = tokensFor(HOUR);
  const claims = { sub: '7', iat: 1000, exp: 4600 };
  const isWellFormed = (payload: unknown, header: unknown = { alg: 'HS256' }): boolean =>
    tokens.isWellFormed(`${part(header)}.${part(payload)}.signature`);

  it('are verified with a key that is made once, because a text would become one each time', () => {
    const rotating = tokensFor(HOUR, OTHER_SECRET);
    const old = new Tokens({ jwt: { secret: OTHER_SECRET, previousSecret: undefined, lifetime: HOUR } });
    for (const issuer of [rotating, old]) {
      const token = issuer.issue({ id: '7', role: 'USER' });
      expect(rotating.keyOf(token)).toBe(rotating.keyOf(token));
      expect(() => jwt.verify(token, rotating.keyOf(token))).not.toThrow();
    }
  });

  it.each([
    [HOUR, 3600],
    [1500, 1],
    [1, 1],
  ])('of a lifetime of %i ms live %i s', (lifetime, seconds) => {
    const issuer = tokensFor(lifetime);
    const { iat, exp } = jwt.decode(issuer.issue({ id: '7', role: 'USER' })) as { iat: number; exp: number };
    expect([issuer.lifetime, exp - iat]).toEqual([seconds, seconds]);
  });

  it.each(['USER', 'ADMIN'] as const)('carry the account, and that it is %s', (role) => {
    const token = tokens.issue({ id: '9223372036854775807', role });
    expect(jwt.verify(token, SECRET, { algorithms: ['HS256'] })).toEqual({
      sub: '9223372036854775807',
      authorities: [`ROLE_${role}`],
      iat: expect.any(Number) as number,
      exp: expect.any(Number) as number,
    });
    expect(tokens.isWellFormed(token)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['of no authorities', claims],
    ['of an iat past exp', { ...claims, iat: 9000 }],
    ['of a fraction of a second', { ...claims, iat: 1000.5 }],
    ['of a minute more than configured', { ...claims, exp: 4660 }],
    ['of the largest id', { ...claims, sub: '9223372036854775807' }],
  ])('are well-formed with claims %s', (_, payload) => {
    expect(isWellFormed(payload)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['of more than a minute more than configured', { ...claims, exp: 4660.5 }],
    ['without exp', { sub: '7', iat: 1000 }],
    ['without iat', { sub: '7', exp: 4600 }],
    ['without sub', { iat: 1000, exp: 4600 }],
    ['with exp as text', { ...claims, exp: '4600' }],
    ['with sub as number', { ...claims, sub: 7 }],
    ['with sub 0', { ...claims, sub: '0' }],
    ['with sub beyond 64 bits', { ...claims, sub: '9223372036854775808' }],
    ['with sub of 20 digits', { ...claims, sub: '10000000000000000000' }],
    ['that are null', null],
    ['that are a list', [claims]],
    ['that are text', 'x'],
  ])('are not well-formed with claims %s', (_, payload) => {
    expect(isWellFormed(payload)).toBe(false);
  });

  it.each<[string, unknown]>([
    ['without alg', {}],
    ['with alg none', { alg: 'none' }],
    ['with HS512', { alg: 'HS512' }],
    ['with crit', { alg: 'HS256', crit: [] }],
    ['that is null', null],
    ['that is a list', [{ alg: 'HS256' }]],
  ])('are not well-formed with a header %s', (_, header) => {
    expect(isWellFormed(claims, header)).toBe(false);
  });

  describe('whose iat lies in the future', () => {
    beforeEach(() => jest.useFakeTimers({ now: 2_000_000 }));
    afterEach(() => jest.useRealTimers());

    it.each([
      [0, true],
      [60, true],
      [60.5, false],
      [61, false],
      [86_400, false],
    ])('by %d s are well-formed: %p', (ahead, expected) => {
      expect(isWellFormed({ sub: '7', iat: 2000 + ahead, exp: 2000 + ahead + 60 })).toBe(expected);
      expect(isWellFormed({ sub: '7', iat: 2000 + ahead, exp: 2060 })).toBe(expected);
    });
  });

  it.each(['', '.', '..', 'a.b.c', part({ alg: 'HS256' }), `${part({ alg: 'HS256' })}.`])(
    'are not well-formed as "%s"',
    (token) => {
      expect(tokens.isWellFormed(token)).toBe(false);
    },
  );
});
