import jwt from 'jsonwebtoken';
import { Tokens } from './tokens.js';

const SECRET = 'a-secret-for-tests-only-0123456789abcdef';
const tokensFor = (lifetime: number): Tokens =>
  new Tokens({ jwt: { secret: SECRET, previousSecret: undefined, lifetime } });

// Refused tokens are in test/support/forgeries.ts, and sent to the service.
describe('Tokens', () => {
  beforeEach(() => jest.useFakeTimers({ now: 2_000_000 }));
  afterEach(() => jest.useRealTimers());

  it.each([
    [3_600_000, 3600],
    [1500, 1],
    [1, 1],
  ])('of a lifetime of %i ms live %i s', (lifetime, seconds) => {
    const tokens = tokensFor(lifetime);
    const token = tokens.issue({ id: '9223372036854775807', role: 'ADMIN' });
    expect(jwt.decode(token)).toEqual({
      sub: '9223372036854775807',
      authorities: ['ROLE_ADMIN'],
      iat: 2000,
      exp: 2000 + seconds,
    });
    expect(tokens.lifetime).toBe(seconds);
    expect(tokens.accountOf(jwt.decode(token) as jwt.JwtPayload)).toBe('9223372036854775807');
  });

  it.each([
    [60, '7'],
    [60.5, undefined],
  ])('issued %d s ahead of the clock are of account %p', (ahead, account) => {
    const claims = { sub: '7', iat: 2000 + ahead, exp: 2120 };
    expect(tokensFor(3_600_000).accountOf(claims)).toBe(account);
  });
});
