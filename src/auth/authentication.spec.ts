import type { Settings } from '../config/env.js';
import type { KeysService } from '../keys/keys.service.js';
import type { UsersRepository } from '../users/users.repository.js';
import { Authentication } from './authentication.js';
import { JwtStrategy } from './jwt.strategy.js';
import { Tokens } from './tokens.js';

const NOW = 1_800_000_000;

beforeEach(() => jest.useFakeTimers({ now: NOW * 1000 }));
afterEach(() => jest.useRealTimers());

/** Issues tokens for 60 s, and counts those whose signature is verified. */
function setUp() {
  const jwt = { secret: 'a secret for tokens of this test', previousSecret: undefined, lifetime: 60_000 };
  const tokens = new Tokens({ jwt } as Settings);
  const verified = jest.spyOn(tokens, 'keyOf');
  const users = { findCaller: (id: string) => Promise.resolve({ id }) } as unknown as UsersRepository;
  const authentication = new Authentication(new JwtStrategy(tokens), users, {} as KeysService);
  const bearerOf = (id: string): string => `Bearer ${tokens.issue({ id, role: 'USER' })}`;
  return { authentication, bearerOf, verified };
}

it('a token is verified once, and refused from the second on in which it expires', async () => {
  const { authentication, bearerOf, verified } = setUp();
  const bearer = bearerOf('7');
  for (const seconds of [0, 59]) {
    jest.setSystemTime((NOW + seconds) * 1000);
    expect(await authentication.identify(bearer)).toEqual({ id: '7' });
  }
  expect(verified).toHaveBeenCalledTimes(1);
  jest.setSystemTime((NOW + 60) * 1000);
  await expect(authentication.identify(bearer)).rejects.toThrow('authentication-required');
});

it('the newest 5,000 tokens are remembered', async () => {
  const { authentication, bearerOf, verified } = setUp();
  const bearers = Array.from({ length: 5001 }, (_, index) => bearerOf(String(index + 1)));
  for (const bearer of [...bearers, bearers[1]!, bearers[5000]!]) await authentication.identify(bearer);
  expect(verified).toHaveBeenCalledTimes(5001);
  await authentication.identify(bearers[0]!);
  expect(verified).toHaveBeenCalledTimes(5002);
});
