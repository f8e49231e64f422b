import { Tokens } from '../src/auth/tokens.js';
import { Client } from './support/client.js';
import { claimsOf, contentOf, forge, inSeconds } from './support/forged-token.js';
import { outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';

const OLD = 'the-old-secret-of-these-tests-0123456789';
const NEW = 'the-new-secret-of-these-tests-0123456789';
const OTHER = 'a-secret-that-is-nowhere-configured-0123';
const REFUSED = '401 authentication-required';

/** The settings of the steps in docs/operations.md. */
const STEPS = [
  { JWT_SECRET: OLD, JWT_SECRET_PREVIOUS: NEW },
  { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: OLD },
  { JWT_SECRET: NEW },
] as const;

const outcomeAt = async ({ url }: Service, token: string): Promise<string> =>
  outcomeOf(await new Client(url, token).get('/api/users/me'));

const isSignedWith = (secret: string, token: string): boolean =>
  forge({ header: contentOf(token, 0), payload: contentOf(token, 1), secret }) === token;

describe('JWT_SECRET_PREVIOUS', () => {
  let instance: Service;
  let account: Account;
  let databaseUrl: string;

  beforeAll(async () => {
    instance = await startService(STEPS[1]);
    account = await instance.account();
    databaseUrl = instance.settings.database.url;
  });

  const start = (env: Record<string, string>): Promise<Service> => startService(env, databaseUrl);
  const signed = (secret: string, claims = {}): string =>
    forge({ payload: claimsOf(account, claims), secret });

  it('lets two instances change the secret in turn, and no token ends before its time', async () => {
    const instances = [await start({ JWT_SECRET: OLD }), await start({ JWT_SECRET: OLD })];
    let tokens = [signed(OLD)];
    for (const env of STEPS) {
      if (env === STEPS[2]) tokens = tokens.filter((token) => isSignedWith(NEW, token)); // the others have expired
      for (const index of instances.keys()) {
        await instances[index]!.stop();
        instances[index] = await start(env);
        const token = instances[index].app.get(Tokens).issue({ id: account.id, role: 'USER' });
        expect(isSignedWith(env.JWT_SECRET, token)).toBe(true);
        tokens.push(token);
        for (const each of instances)
          for (const token of tokens) expect(await outcomeAt(each, token)).toBe('200');
      }
    }
    for (const each of instances) expect(await outcomeAt(each, signed(OLD))).toBe(REFUSED);
  });

  it.each<[string, string, () => string]>([
    ['200', 'of JWT_SECRET', () => signed(NEW)],
    ['200', 'of JWT_SECRET_PREVIOUS', () => signed(OLD)],
    [REFUSED, 'of another secret', () => signed(OTHER)],
    [REFUSED, 'of the previous one that has expired', () => signed(OLD, { exp: inSeconds(-1) })],
    [REFUSED, 'of the previous one that lives too long', () => signed(OLD, { exp: inSeconds(7200) })],
    [REFUSED, 'of the previous one without its signature', () => signed(OLD).replace(/[^.]*$/, '')],
  ])('answers %s to a token %s', async (outcome, _, make) => {
    expect(await outcomeAt(instance, make())).toBe(outcome);
  });
});
