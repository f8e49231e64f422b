import { VerifiedTokens } from './verified-tokens.js';

const NOW = 1_800_000_000;

describe('VerifiedTokens', () => {
  beforeEach(() => jest.useFakeTimers({ now: NOW * 1000 }));
  afterEach(() => jest.useRealTimers());

  it('finds the account by the whole text of its token', () => {
    const tokens = new VerifiedTokens();
    tokens.remember('a.b.c', { id: '7', exp: NOW + 60 });
    expect(['a.b.c', 'a.b.C', ''].map((token) => tokens.accountOf(token))).toEqual([
      '7',
      undefined,
      undefined,
    ]);
  });

  it.each([
    [-1, '7'],
    [0, undefined],
    [1, undefined],
  ])('finds, %d s after the expiry, account %p', (seconds, id) => {
    const tokens = new VerifiedTokens();
    tokens.remember('token', { id: '7', exp: NOW + 60 });
    jest.setSystemTime((NOW + 60 + seconds) * 1000);
    expect(tokens.accountOf('token')).toBe(id);
  });

  it('of capacity 2 keeps the two newest tokens', () => {
    const tokens = new VerifiedTokens(2);
    for (const id of ['1', '2', '3']) tokens.remember(id, { id, exp: NOW + 60 });
    expect(['1', '2', '3'].map((token) => tokens.accountOf(token))).toEqual([undefined, '2', '3']);
  });
});
