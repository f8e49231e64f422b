import { Client } from './support/client.js';
import { createDatabase } from './support/database.js';
import { claimsOf, forge, inSeconds } from './support/forged-token.js';
import { Launched } from './support/launched.js';
import { outcomeOf } from './support/outcome.js';
import { signIn, signUp, signUpRequest, userIn } from './support/sign-up.js';

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

/** Whether the token is of this secret's. */
const isSignedWith = (token: string, secret: string): boolean => {
  const [header, payload] = token.split('.', 2).map((part) => Buffer.from(part, 'base64url').toString());
  return forge({ header, payload, secret }) === token;
};

describe('the rotation of JWT_SECRET', () => {
  const request = signUpRequest();
  let databaseUrl: string;
  let id: string;

  const launch = async (env: Record<string, string>): Promise<Launched> => {
    const instance = await Launched.at(databaseUrl, env);
    await instance.ready();
    return instance;
  };
  const signedIn = async ({ anonymous }: Launched): Promise<string> =>
    ((await signIn(anonymous, request)).json as { accessToken: string }).accessToken;
  const outcomeAt = async ({ anonymous }: Launched, token: string): Promise<string> =>
    outcomeOf(await new Client(anonymous.url, token).get('/api/users/me'));

  beforeAll(async () => {
    databaseUrl = await createDatabase();
    const instance = await launch(STEPS[0]);
    id = String(userIn(await signUp(instance.anonymous, request)).id);
    await instance.stop();
  });

  it('of two instances, one restarted after the other, ends no session before its token does', async () => {
    const instances = [await launch(STEPS[0]), await launch(STEPS[0])];
    const outcomes: string[] = [];
    let tokens = [await signedIn(instances[0]!)];
    for (const env of STEPS.slice(1)) {
      if (env === STEPS[3]) tokens = tokens.filter((token) => isSignedWith(token, NEW)); // the others have expired
      for (const index of instances.keys()) {
        await instances[index]!.stop();
        instances[index] = await launch(env);
        const token = await signedIn(instances[index]);
        expect(isSignedWith(token, env.JWT_SECRET)).toBe(true); // and never with the other
        tokens.push(token);
        for (const instance of instances)
          for (const token of tokens) outcomes.push(await outcomeAt(instance, token));
      }
    }
    expect(new Set(outcomes)).toEqual(new Set(['200']));
    expect(outcomes.length).toBeGreaterThan(30);
    const revoked = forge({ payload: claimsOf({ id }), secret: OLD });
    for (const instance of instances) {
      expect(await outcomeAt(instance, revoked)).toBe(REFUSED);
      await instance.stop();
    }
  });

  describe('with a previous secret', () => {
    let instance: Launched;
    beforeAll(async () => void (instance = await launch(STEPS[2])));

    const signed = (secret: string, claims = {}): string =>
      forge({ payload: claimsOf({ id }, claims), secret });

    it.each<[string, string, () => string]>([
      ['of the new one', '200', () => signed(NEW)],
      ['of the previous one', '200', () => signed(OLD)],
      ['of any other', REFUSED, () => signed(OTHER)],
      ['of the previous one that has expired', REFUSED, () => signed(OLD, { exp: inSeconds(-1) })],
      ['of the previous one that lives too long', REFUSED, () => signed(OLD, { exp: inSeconds(7200) })],
      ['of the previous one for nobody', REFUSED, () => signed(OLD, { sub: '987654321' })],
      [
        'of the previous one in HS512',
        REFUSED,
        () => forge({ header: { alg: 'HS512' }, payload: claimsOf({ id }), secret: OLD, hash: 'sha512' }),
      ],
      [
        'of the previous one, changed',
        REFUSED,
        () => signed(OLD).replace(/.$/, (end) => (end === 'A' ? 'Q' : 'A')),
      ],
      ['of the previous one, with its signature cut off', REFUSED, () => signed(OLD).replace(/[^.]*$/, '')],
    ])('takes a token %s as %s, at first and again', async (_, outcome, make) => {
      const token = make();
      expect([await outcomeAt(instance, token), await outcomeAt(instance, token)]).toEqual([
        outcome,
        outcome,
      ]);
    });
  });
});
