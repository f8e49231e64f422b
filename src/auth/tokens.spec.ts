import jwt from 'jsonwebtoken';
import { Tokens } from './tokens.js';

const SECRET = 'a-secret-for-tests-only-0123456789abcdef';
const OTHER_SECRET = 'another-secret-for-tests-only-0123456789';
const HOUR = 3_600_000;

const tokensFor = (lifetime: number, previousSecret?: string): Tokens =>
  new Tokens({ jwt: { secret: SECRET, previousSecret, lifetime } });

const part = (content: unknown): string => Buffer.from(JSON.stringify(content)).toString('base64url');

// What else is no token is in test/support/forgeries.ts, and is sent to the service.
describe('Tokens', () => {
  const tokens = tokensFor(HOUR);

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

  const wellFormed = (claims: unknown, alg = 'HS256'): boolean =>
    tokens.isWellFormed(`${part({ alg })}.${part(claims)}.signature`);

  it('are not well-formed even where what comes behind would refuse them as well', () => {
    const claims = { sub: '7', iat: 1000, exp: 4600 };
    expect([wellFormed(claims), wellFormed(claims, 'HS512'), wellFormed([claims])]).toEqual([
      true,
      false,
      false,
    ]);
    for (const wrong of [{ exp: '4600' }, { sub: ' 7' }, { sub: '0' }, { sub: '10000000000000000000' }])
      expect(wellFormed({ ...claims, ...wrong })).toBe(false);
  });

  describe('whose iat lies in the future', () => {
    beforeEach(() => jest.useFakeTimers({ now: 2_000_000 }));
    afterEach(() => jest.useRealTimers());

    it.each([
      [60, true],
      [60.5, false],
    ])('by %d s are well-formed: %p', (ahead, expected) => {
      for (const exp of [2000 + ahead + 60, 2060])
        expect(wellFormed({ sub: '7', iat: 2000 + ahead, exp })).toBe(expected);
    });
  });
});
