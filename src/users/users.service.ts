import { Injectable } from '@nestjs/common';
import type { UserAccount } from '../common/access/caller.js';
import { JsonParts, type JsonText } from '../common/json/exact-json.js';
import { notFound } from '../common/problems/problem.js';
import { batchLoader } from '../database/batch-loader.js';
import { type Account, AUTHENTICATION } from '../database/shares.js';
import { UsersRepository } from './users.repository.js';

@Injectable()
export class UsersService {
  /** Every request with a token needs one. */
  private readonly callers = batchLoader((ids: readonly string[]) => this.users.find(AUTHENTICATION, ids));

  constructor(private readonly users: UsersRepository) {}

  /** The account behind a token, or undefined when it is gone. */
  async findCaller(id: string): Promise<UserAccount | undefined> {
    return this.callers.load(id);
  }

  /** UserResponse. Throws not-found. */
  async get(account: Account, id: string): Promise<JsonText> {
    const [user] = await this.users.find(account, [id]);
    if (user === undefined) throw notFound('user');
    return user.json;
  }

  /** All accounts, by id, as an array of UserResponse. */
  async list(account: Account): Promise<JsonText> {
    return JsonParts.of(this.users.list(account));
  }

  /** Throws not-found, or resource-in-use while properties belong to the account. */
  async delete(account: Account, id: string): Promise<void> {
    await this.users.delete(account, id);
  }
}
