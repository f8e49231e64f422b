import { Passwords } from '../../src/auth/passwords.js';
import { Tokens } from '../../src/auth/tokens.js';
import type { Service } from '../support/service.js';
import type { CallerRef } from './commands.js';
import type { Sql } from './outcomes.js';
import { type ModelAccount, type Session, World } from './world.js';

const PASSWORD = 'the password of whoever is there from the start';
/** The last are guests: whoever is 'signed in' is one of them, or of those who sign in later. */
const ACCOUNTS: readonly (readonly [CallerRef, ModelAccount['role']])[] = [
  ['user 0', 'USER'],
  ['user 1', 'USER'],
  ['user 2', 'USER'],
  ['admin', 'ADMIN'],
  ...[1, 2, 3, 4].map(() => ['signed in', 'USER'] as const),
];

/** A service whose database is emptied for each sequence of calls, but for the accounts that it starts with. */
export class Fixture {
  private constructor(
    private readonly service: Service,
    private readonly passwordHash: string,
  ) {}

  static async on(service: Service): Promise<Fixture> {
    return new Fixture(service, await service.app.get(Passwords).hash(PASSWORD));
  }

  get url(): string {
    return this.service.url;
  }

  readonly sql: Sql = (text, values) => this.service.sql(text, values);

  /** Callers refer to the latest `choice` resources, or to all. */
  async newWorld(choice?: number): Promise<World> {
    for (const table of ['transactions', 'properties', 'users']) await this.sql(`DELETE FROM ${table}`);
    const rows = await this.sql<{ id: string }>(
      `INSERT INTO users (email, username, password_hash, role)
       SELECT name || '@example.com', name, $1, role FROM unnest($2::text[], $3::text[]) AS account (name, role)
       RETURNING id`,
      [this.passwordHash, ACCOUNTS.map((_, index) => `owner-${index}`), ACCOUNTS.map(([, role]) => role)],
    );
    const tokens = this.service.app.get(Tokens);
    const sessions = ACCOUNTS.map(([ref, role], index): [CallerRef, Session] => {
      const { id } = rows[index]!;
      return [ref, { token: tokens.issue({ id, role }), accountId: Number(id) }];
    });
    const world = new World(Object.fromEntries(sessions), choice);
    for (const [index, [ref, role]] of ACCOUNTS.entries()) {
      const [, session] = sessions[index]!;
      world.add(accountOf(index, session.accountId, role));
      if (ref === 'signed in') world.signedIn.push(session);
    }
    return world;
  }
}

function accountOf(index: number, id: number, role: ModelAccount['role']): ModelAccount {
  const username = `owner-${index}`;
  const names = { firstName: null, lastName: null };
  return { id, email: `${username}@example.com`, username, ...names, password: PASSWORD, role };
}
