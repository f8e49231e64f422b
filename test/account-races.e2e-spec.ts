import { ProblemError } from '../src/http/problem/problem.js';
import { type NewUser, UsersService } from '../src/users/users.service.js';
import type { Answer } from './support/client.js';
import { openConnection } from './support/connect.js';
import { propertyRequest } from './support/factories.js';
import { waitingForLocks } from './support/locks.js';
import { outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';
import { signUp, signUpRequest } from './support/sign-up.js';
import { until } from './support/until.js';

const HASH = `$2b$10$${'.'.repeat(53)}`;
const ROUNDS_OF_INSERTS = 46;
const ROUNDS_OF_REQUESTS = 4;
const CREATED = '201';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('accounts under simultaneous requests', () => {
  let service: Service;
  let users: UsersService;
  let admin: Account;

  beforeAll(async () => {
    service = await startService();
    users = service.app.get(UsersService);
    admin = await service.account('ADMIN');
  });
  afterEach(() => jest.restoreAllMocks());

  /**
   * Makes the request while a transaction past the service holds what the statement locked, waits until the request
   * waits for it, and then ends the transaction.
   */
  async function during(
    statement: [text: string, values: unknown[]],
    end: 'COMMIT' | 'ROLLBACK',
    request: () => Promise<Answer>,
  ): Promise<string> {
    const other = await openConnection(service.settings.database.url);
    await other.query('BEGIN');
    await other.query(...statement);
    const answer = request();
    await until(async () => (await waitingForLocks(service)) > 0);
    await other.query(end);
    await other.end();
    return outcomeOf(await answer);
  }

  describe('of two sign-ups at once', () => {
    let names = 0;
    type Pair = (name: string) => [Partial<NewUser>, Partial<NewUser>];

    const PAIRS: [what: string, slug: string, pair: Pair][] = [
      [
        'with one e-mail in different case',
        'duplicate-email',
        (name) => [{ email: `${name}@example.com` }, { email: `${name.toUpperCase()}@Example.COM` }],
      ],
      [
        'with one username in different case',
        'duplicate-username',
        (name) => [{ username: name }, { username: name.toUpperCase() }],
      ],
      [
        'with both the same',
        'duplicate-email',
        (name) => {
          const same = { email: `${name}@example.com`, username: name };
          return [same, same];
        },
      ],
    ];

    async function insert(fields: Partial<NewUser>): Promise<string> {
      const { email, username } = signUpRequest();
      const user = { email, username, firstName: null, lastName: null, passwordHash: HASH };
      try {
        await users.insert({ ...user, role: 'USER', ...fields });
        return CREATED;
      } catch (error) {
        return error instanceof ProblemError ? `${error.status} ${error.slug}` : String(error);
      }
    }

    it.each(PAIRS)('%s one makes the account, in every round', async (_, slug, pair) => {
      for (let round = 0; round < ROUNDS_OF_INSERTS; round++) {
        const outcomes = await Promise.all(pair(`né-${++names}`).map(insert));
        expect(outcomes.sort()).toEqual([CREATED, `409 ${slug}`]);
      }
    });

    it.each(PAIRS)('%s one gets 201 and one 409', async (_, slug, pair) => {
      for (let round = 0; round < ROUNDS_OF_REQUESTS; round++) {
        const answers = pair(`né-${++names}`).map((fields) =>
          signUp(service.anonymous, signUpRequest(fields)),
        );
        expect((await Promise.all(answers)).map(outcomeOf).sort()).toEqual([CREATED, `409 ${slug}`]);
      }
    });

    it('and of ten, one alone makes the account', async () => {
      const outcomes = await Promise.all(times(10, () => insert({ email: 'Ten@Example.com' })));
      expect(outcomes.sort()).toEqual([CREATED, ...times(9, () => '409 duplicate-email')]);
    });
  });

  describe('of a sign-up with a name that', () => {
    const INSERTION = `INSERT INTO users (email, username, password_hash) VALUES ($1, $2, $3)`;

    it.each<['COMMIT' | 'ROLLBACK', string]>([
      ['COMMIT', '409 duplicate-email'],
      ['ROLLBACK', CREATED],
    ])('is being taken, the %s decides: %s', async (end, outcome) => {
      const request = signUpRequest();
      const values = [request.email.toUpperCase(), request.username.toUpperCase(), HASH];
      expect(await during([INSERTION, values], end, () => signUp(service.anonymous, request))).toBe(outcome);
    });

    it.each<['COMMIT' | 'ROLLBACK', string]>([
      ['COMMIT', CREATED],
      ['ROLLBACK', '409 duplicate-username'],
    ])('is being given up, the %s decides: %s', async (end, outcome) => {
      const { id, username } = await service.account();
      const request = signUpRequest({ username });
      const deletion: [string, unknown[]] = ['DELETE FROM users WHERE id = $1', [id]];
      expect(await during(deletion, end, () => signUp(service.anonymous, request))).toBe(outcome);
    });
  });

  describe('of a delete of the account', () => {
    const propertiesOf = async (id: string): Promise<number> =>
      (await service.sql('SELECT FROM properties WHERE owner_id = $1', [id])).length;

    it('and the creation of a property one loses, and no property is orphaned', async () => {
      for (let round = 0; round < 30; round++) {
        const account = await service.account();
        const requests = [
          () => admin.delete(`/api/users/${account.id}`),
          () => account.post('/api/properties', propertyRequest()),
        ];
        // Either request is the first in half of the rounds.
        const sent = (round % 2 === 0 ? requests : requests.toReversed()).map((send) => send());
        const answers = await Promise.all(sent);
        const [deleted, created] = (round % 2 === 0 ? answers : answers.toReversed()).map(outcomeOf);
        const kept = await propertiesOf(account.id);
        expect([
          ['200', '401 authentication-required', 0],
          ['409 resource-in-use', '200', 1],
        ]).toContainEqual([deleted, created, kept]);
      }
    });

    it('a property whose creation began before wins: 409', async () => {
      const account = await service.account();
      const creation: [string, unknown[]] = [
        `INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active)
         VALUES ($1, 'Loft', '2 Hill Road', 1, 1, 1, 1, true)`,
        [account.id],
      ];
      const outcome = await during(creation, 'COMMIT', () => admin.delete(`/api/users/${account.id}`));
      expect(outcome).toBe('409 resource-in-use');
      expect((await account.get('/api/users/me')).status).toBe(200);
      expect(await propertiesOf(account.id)).toBe(1);
    });

    it('a property whose creation began after it is not made: 401', async () => {
      const account = await service.account();
      const deletion: [string, unknown[]] = ['DELETE FROM users WHERE id = $1', [account.id]];
      const outcome = await during(deletion, 'COMMIT', () =>
        account.post('/api/properties', propertyRequest()),
      );
      expect(outcome).toBe('401 authentication-required');
      expect(await propertiesOf(account.id)).toBe(0);
    });

    it('and another delete of it one finds nothing any more', async () => {
      for (let round = 0; round < 10; round++) {
        const { id } = await service.account();
        const answers = await Promise.all([0, 1].map(() => admin.delete(`/api/users/${id}`)));
        expect(answers.map(outcomeOf).sort()).toEqual(['200', '404 not-found']);
      }
    });
  });

  describe('of a change of role', () => {
    it('and a flow of requests, each is judged by the one or the other, and all later ones by the new', async () => {
      const account = await service.account();
      const flow = (): Promise<Answer>[] => times(10, () => account.get('/api/users'));
      for (const role of ['ADMIN', 'USER', 'ADMIN', 'USER'] as const) {
        const before = flow();
        const change = users.setRole(account.username, role);
        const meanwhile = flow();
        await change;
        const after = await Promise.all(flow());
        expect(new Set(after.map(outcomeOf))).toEqual(
          new Set([role === 'ADMIN' ? '200' : '403 access-denied']),
        );
        for (const answer of await Promise.all([...before, ...meanwhile])) {
          expect(['200', '403 access-denied']).toContain(outcomeOf(answer));
        }
      }
    });

    it('that is not committed, requests neither wait for it nor see it', async () => {
      const account = await service.account();
      const other = await openConnection(service.settings.database.url);
      await other.query('BEGIN');
      await other.query(`UPDATE users SET role = 'ADMIN' WHERE id = $1`, [account.id]);
      expect(outcomeOf(await account.get('/api/users'))).toBe('403 access-denied');
      await other.query('COMMIT');
      expect(outcomeOf(await account.get('/api/users'))).toBe('200');
    });
  });
});
