import { Injectable } from '@nestjs/common';
import type { UserAccount } from '../common/access/caller.js';
import { JsonParts, JsonText } from '../common/json/exact-json.js';
import { notFound } from '../common/problems/problem.js';
import { batchLoader } from '../database/batch-loader.js';
import { type Account, AUTHENTICATION } from '../database/shares.js';
import { type AccountRow, type NewUser, type UserRow, UsersRepository } from './users.repository.js';

@Injectable()
export class UsersService {
  /** Every request with a token needs one. */
  private readonly callers = batchLoader((ids: readonly string[]) => this.find(AUTHENTICATION, ids));

  constructor(private readonly users: UsersRepository) {}

  /** The account behind a token, or undefined when it is gone. */
  async findCaller(id: string): Promise<UserAccount | undefined> {
    return this.callers.load(id);
  }

  /** By username, without regard to case. */
  async findForSignIn(username: string): Promise<(UserAccount & { passwordHash: string }) | undefined> {
    const row = await this.users.findForSignIn(username);
    return row && { ...accountOf(row), passwordHash: row.passwordHash };
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
    return this.users.accounts();
  }

  /** All accounts, by id, as an array of UserResponse. */
  async list(account: Account): Promise<JsonText> {
    return JsonParts.of(this.users.list(account));
  }

  /** Throws duplicate-email or duplicate-username: the unique indexes decide, not a look beforehand. */
  async insert(user: NewUser): Promise<UserAccount> {
    return accountOf(await this.users.insert(user));
  }

  /** Throws not-found, or resource-in-use while properties belong to the account. */
  async delete(account: Account, id: string): Promise<void> {
    if (!(await this.users.delete(account, id))) throw notFound('user');
  }

  /** Changes a role, from the next request on, or a password. Throws not-found. */
  async update(username: string, change: Partial<Pick<NewUser, 'role' | 'passwordHash'>>): Promise<void> {
    if (!(await this.users.update(username, change))) throw notFound('user');
  }

  /** Whether this account is an ADMIN, and no other is. */
  async isLastAdmin(username: string): Promise<boolean> {
    return this.users.isLastAdmin(username);
  }

  private async find(account: Account, ids: readonly string[]): Promise<(UserAccount | undefined)[]> {
    const rows = await this.users.findEach(account, ids);
    const users = new Map(rows.map((row) => [row.id, accountOf(row)]));
    return ids.map((id) => users.get(id));
  }
}

function accountOf({ id, role, json }: UserRow): UserAccount {
  return { id, role, json: new JsonText(json) };
}
