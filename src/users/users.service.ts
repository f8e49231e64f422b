import { Injectable } from '@nestjs/common';
import type { UserAccount } from '../common/access/caller.js';
import type { Role } from '../common/access/role.js';
import { Database } from '../database/database.js';
import { oneByOne } from '../database/one-by-one.js';
import { type Account, AUTHENTICATION, NOBODY } from '../database/shares.js';
import { JsonText } from '../common/json/exact-json.js';
import { notFound, ProblemError } from '../common/problems/problem.js';
import type { User } from './user.entity.js';
import * as sql from './users.queries.js';

interface UserRow {
  readonly id: string;
  readonly role: Role;
  readonly json: string;
}

export type NewUser = Pick<User, 'email' | 'username' | 'passwordHash' | 'firstName' | 'lastName' | 'role'>;

export type AccountRow = Pick<User, 'id' | 'role' | 'username' | 'email'>;

@Injectable()
export class UsersService {
  /** Every request with a token needs one. */
  private readonly callers = oneByOne((ids: readonly string[]) => this.find(AUTHENTICATION, ids));

  constructor(private readonly database: Database) {}

  /** The account behind a token, or undefined when it is gone. */
  async findCaller(id: string): Promise<UserAccount | undefined> {
    return this.callers.load(id);
  }

  /** By username, without regard to case. */
  async findForSignIn(username: string): Promise<(UserAccount & { passwordHash: string }) | undefined> {
    type Row = UserRow & { readonly password_hash: string };
    const [row] = await this.database.read<Row>(NOBODY, sql.USER_FOR_SIGN_IN, [username]);
    return row && { ...accountOf(row), passwordHash: row.password_hash };
  }

  /** By username, without regard to case. Throws not-found. */
  async getByUsername(username: string): Promise<UserAccount> {
    const user = await this.findForSignIn(username);
    if (user === undefined) throw notFound('user');
    return user;
  }

  /** UserResponse. Throws not-found. */
  async get(account: Account, id: string): Promise<JsonText> {
    const [user] = await this.find(account, [id]);
    if (user === undefined) throw notFound('user');
    return user.json;
  }

  /** All accounts, by id. */
  async accounts(): Promise<AccountRow[]> {
    return this.database.read<AccountRow>(NOBODY, sql.ACCOUNTS, []);
  }

  /** All accounts, by id, as an array of UserResponse. */
  async list(account: Account): Promise<JsonText> {
    const [row] = await this.database.read<{ json: string }>(account, sql.ALL_USERS, []);
    return new JsonText(`[${row?.json ?? ''}]`);
  }

  /** Throws duplicate-email or duplicate-username: the unique indexes decide, not a look beforehand. */
  async insert(user: NewUser): Promise<UserAccount> {
    const { email, username, passwordHash, firstName, lastName, role } = user;
    const values = [email, username, passwordHash, firstName, lastName, role];
    const [row] = await this.database.write<UserRow>(NOBODY, sql.INSERT_USER, values);
    if (row === undefined) throw await this.clashOf(user);
    return accountOf(row);
  }

  /** Throws not-found, or resource-in-use while properties belong to the account. */
  async delete(account: Account, id: string): Promise<void> {
    const foreignKey = (): ProblemError =>
      new ProblemError('resource-in-use', 'The user has properties: delete them first.');
    const [gone] = await this.database.write(account, { ...sql.DELETE_USER, foreignKey }, [id]);
    if (gone === undefined) throw notFound('user');
  }

  /** Changes a role, from the next request on, or a password. Throws not-found. */
  async update(username: string, change: Partial<Pick<NewUser, 'role' | 'passwordHash'>>): Promise<void> {
    const values = [username, change.role ?? null, change.passwordHash ?? null];
    const [updated] = await this.database.write(NOBODY, sql.UPDATE_USER, values);
    if (updated === undefined) throw notFound('user');
  }

  /** Whether this account is an ADMIN, and no other is. */
  async isLastAdmin(username: string): Promise<boolean> {
    const [row] = await this.database.read<{ last: boolean }>(NOBODY, sql.LAST_ADMIN, [username]);
    return row?.last === true;
  }

  private async find(account: Account, ids: readonly string[]): Promise<(UserAccount | undefined)[]> {
    const rows = await this.database.read<UserRow>(account, sql.USERS_BY_ID, [ids]);
    const users = new Map(rows.map((row) => [row.id, accountOf(row)]));
    return ids.map((id) => users.get(id));
  }

  private async clashOf({ email, username }: NewUser): Promise<ProblemError> {
    type Clash = Readonly<Record<'email' | 'username', boolean>>;
    const [clash] = await this.database.read<Clash>(NOBODY, sql.NAME_CLASH, [email, username]);
    if (clash?.email) return new ProblemError('duplicate-email');
    if (clash?.username) return new ProblemError('duplicate-username');
    return new ProblemError('concurrent-modification'); // the other account has just been deleted
  }
}

function accountOf({ id, role, json }: UserRow): UserAccount {
  return { id, role, json: new JsonText(json) };
}
