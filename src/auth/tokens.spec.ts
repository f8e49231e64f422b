import { VerifiedTokens } from './tokens.js';

const NOW = 1_800_000_000;

beforeEach(() => jest.useFakeTimers({ now: NOW * 1000 }));

it.each([
  ['a.b.c', 59, '7'],
  ['a.b.c', 60, undefined],
  ['a.b.c', 61, undefined],
  ['a.b.C', 0, undefined],
  ['', 0, undefined],
])('the token a.b.c is remembered for 60 s: %j has, after %d s, account %p', (token, seconds, id) => {
  const tokens = new VerifiedTokens();
  tokens.remember('a.b.c', { id: '7', exp: NOW + 60 });
  jest.setSystemTime((NOW + seconds) * 1000);
  expect(tokens.accountOf(token)).toBe(id);
});

it('VerifiedTokens of capacity 2 keeps the two newest tokens', () => {
  const tokens = new VerifiedTokens(2);
  for (const id of ['1', '2', '3']) tokens.remember(id, { id, exp: NOW + 60 });
  expect(['1', '2', '3'].map((token) => tokens.accountOf(token))).toEqual([undefined, '2', '3']);
});
