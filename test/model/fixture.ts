import { Passwords } from '../../src/auth/passwords.js';
import { Tokens } from '../../src/auth/tokens.js';
import type { Service } from '../support/service.js';
import { type CallerRef, type Session, World } from './world.js';

const PASSWORD = 'the password of the first accounts';
/** The last are guests, of whom one is 'signed in'. */
const ACCOUNTS: readonly (readonly [CallerRef, 'USER' | 'ADMIN'])[] = [
  ['user 0', 'USER'],
  ['user 1', 'USER'],
  ['user 2', 'USER'],
  ['admin', 'ADMIN'],
  ...[1, 2, 3, 4].map(() => ['signed in', 'USER'] as const),
];

/** A service whose database is emptied for each sequence, except for the first accounts. */
export class Fixture {
  private constructor(
    private readonly service: Service,
    private readonly passwordHash: string,
  ) {}

  static async on(service: Service): Promise<Fixture> {
    return new Fixture(service, await service.app.get(Passwords).hash(PASSWORD));
  }

  async newWorld(): Promise<World> {
    const { service } = this;
    for (const table of ['transactions', 'properties', 'users']) await service.sql(`DELETE FROM ${table}`);
    const rows = await service.sql<{ id: string }>(
      `INSERT INTO users (email, username, password_hash, role)
       SELECT name || '@example.com', name, $1, role FROM unnest($2::text[], $3::text[]) AS account (name, role)
       RETURNING id`,
      [this.passwordHash, ACCOUNTS.map((_, index) => `owner-${index}`), ACCOUNTS.map(([, role]) => role)],
    );
    const tokens = service.app.get(Tokens);
    const sessions = rows.map(({ id }, index): Session => ({
      token: tokens.issue({ id, role: ACCOUNTS[index]![1] }),
      accountId: Number(id),
    }));
    const world = new World(Object.fromEntries(ACCOUNTS.map(([ref], index) => [ref, sessions[index]!])));
    for (const [index, [ref, role]] of ACCOUNTS.entries()) {
      const username = `owner-${index}`;
      const names = { email: `${username}@example.com`, username, firstName: null, lastName: null };
      world.add({ id: sessions[index]!.accountId, ...names, password: PASSWORD, role });
      if (ref === 'signed in') world.signedIn.push(sessions[index]!);
    }
    return world;
  }
}
