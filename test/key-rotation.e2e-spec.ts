import { Client } from './support/client.js';
import { createDatabase } from './support/database.js';
import { claimsOf, forge, inSeconds } from './support/forged-token.js';
import { Launched } from './support/launched.js';
import { outcomeOf } from './support/outcome.js';
import { authIn, signIn, signUp, signUpRequest, userIn } from './support/sign-up.js';

const OLD = 'the-old-secret-of-these-tests-0123456789';
const NEW = 'the-new-secret-of-these-tests-0123456789';
const OTHER = 'a-secret-that-is-nowhere-configured-0123';
const REFUSED = '401 authentication-required';

/** The settings of the steps in docs/operations.md. */
const STEPS = [
  { JWT_SECRET: OLD },
  { JWT_SECRET: OLD, JWT_SECRET_PREVIOUS: NEW },
  { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: OLD },
  { JWT_SECRET: NEW },
] as const;

describe('JWT_SECRET_PREVIOUS', () => {
  const request = signUpRequest();
  let databaseUrl: string;
  let id: string;

  const launch = async (env: Record<string, string>): Promise<Launched> => {
    const instance = await Launched.at(databaseUrl, env);
    await instance.ready();
    return instance;
  };
  const outcomeAt = async ({ anonymous }: Launched, token: string): Promise<string> =>
    outcomeOf(await new Client(anonymous.url, token).get('/api/users/me'));
  const signed = (secret: string, claims = {}): string =>
    forge({ payload: claimsOf({ id }, claims), secret });
  const isSignedWith = (secret: string, token: string): boolean => {
    const [header, payload] = token.split('.', 2).map((part) => Buffer.from(part, 'base64url').toString());
    return forge({ header, payload, secret }) === token;
  };

  beforeAll(async () => {
    databaseUrl = await createDatabase();
    const instance = await launch(STEPS[0]);
    id = String(userIn(await signUp(instance.anonymous, request)).id);
    await instance.stop();
  });

  it('lets two instances change the secret in turn, and no token ends before its time', async () => {
    const instances = [await launch(STEPS[0]), await launch(STEPS[0])];
    let tokens = [signed(OLD)];
    for (const env of STEPS.slice(1)) {
      if (env === STEPS[3]) tokens = tokens.filter((token) => isSignedWith(NEW, token)); // the others have expired
      for (const index of instances.keys()) {
        await instances[index]!.stop();
        instances[index] = await launch(env);
        const token = authIn(await signIn(instances[index].anonymous, request)).accessToken;
        expect(isSignedWith(env.JWT_SECRET, token)).toBe(true);
        tokens.push(token);
        for (const instance of instances)
          for (const token of tokens) expect(await outcomeAt(instance, token)).toBe('200');
      }
    }
    for (const instance of instances) {
      expect(await outcomeAt(instance, signed(OLD))).toBe(REFUSED);
      await instance.stop();
    }
  });

  describe('admits a token', () => {
    let instance: Launched;
    beforeAll(async () => void (instance = await launch(STEPS[2])));

    it.each<[string, string, () => string]>([
      ['200', 'of JWT_SECRET', () => signed(NEW)],
      ['200', 'of JWT_SECRET_PREVIOUS', () => signed(OLD)],
      [REFUSED, 'of another secret', () => signed(OTHER)],
      [REFUSED, 'of the previous one that has expired', () => signed(OLD, { exp: inSeconds(-1) })],
      [REFUSED, 'of the previous one that lives too long', () => signed(OLD, { exp: inSeconds(7200) })],
      [REFUSED, 'of the previous one without its signature', () => signed(OLD).replace(/[^.]*$/, '')],
    ])('%s: %s', async (outcome, _, make) => {
      expect(await outcomeAt(instance, make())).toBe(outcome);
    });
  });
});
