import type { Claims } from './tokens.js';
import { VerifiedTokens } from './verified-tokens.js';

const NOW = 1_800_000_000;

function claims(sub: string, exp = NOW + 60): Claims {
  return { sub, iat: NOW - 60, exp };
}

describe('the tokens that have been verified', () => {
  beforeEach(() => jest.useFakeTimers({ now: NOW * 1000 }));
  afterEach(() => jest.useRealTimers());

  it('are known by their whole text', () => {
    const tokens = new VerifiedTokens();
    tokens.remember('a.b.c', claims('7'));
    expect([tokens.claimsOf('a.b.c')?.sub, tokens.claimsOf('a.b.C'), tokens.claimsOf('')]).toEqual([
      '7',
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['a second before', -1, '7'],
    ['in the very second of', 0, undefined],
    ['after', 1, undefined],
  ])('are good %s their expiry as a fresh verification says', (_, seconds, sub) => {
    const tokens = new VerifiedTokens();
    tokens.remember('token', claims('7', NOW + 60));
    jest.setSystemTime((NOW + 60 + seconds) * 1000);
    expect(tokens.claimsOf('token')?.sub).toBe(sub);
  });

  it('are no more than so many, the newest', () => {
    const tokens = new VerifiedTokens(2);
    for (const sub of ['1', '2', '3']) tokens.remember(sub, claims(sub));
    expect(['1', '2', '3'].map((token) => tokens.claimsOf(token)?.sub)).toEqual([undefined, '2', '3']);
  });
});
