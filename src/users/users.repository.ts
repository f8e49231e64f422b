import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { UserAccount } from '../common/access/caller.js';
import type { JsonText, Parts } from '../common/json/exact-json.js';
import { notFound, ProblemError, type ProblemSlug } from '../common/problems/problem.js';
import { batchLoader } from '../database/batch-loader.js';
import { Database } from '../database/database.js';
import { PART_OCTETS } from '../database/lists/list-lines.js';
import { type Account, AUTHENTICATION, NOBODY } from '../database/shares.js';
import { named, parametersFor } from '../database/statements.js';
import { userJson } from './dto/user.response.js';
import { User } from './user.entity.js';

type NewUser = Pick<User, 'email' | 'username' | 'passwordHash' | 'firstName' | 'lastName' | 'role'>;

/** SQL over `t`: an account but for its id. Never the hash. */
export const OF_ACCOUNT =
  't.email, t.username, t.first_name AS "firstName", t.last_name AS "lastName", t.role';

/** Accounts that one statement lists: even the longest, of four texts of 255 characters, fit into {@link PART_OCTETS}. */
const LISTED = 20;

const NEW = ['email', 'username', 'passwordHash', 'firstName', 'lastName', 'role'];

const foreignKey = () => new ProblemError('resource-in-use', 'The user has properties: delete them first.');

/** All SQL of the table `users`. Usernames and e-mails are compared without regard to case. */
@Injectable()
export class UsersRepository {
  readonly statements = statementsOf(this.dataSource);
  /** Every request with a token needs one. */
  private readonly callers = batchLoader((ids) => this.find(AUTHENTICATION, ids));

  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
  ) {}

  /** The account behind a token, or undefined when it is gone. */
  findCaller(id: string): Promise<UserAccount | undefined> {
    return this.callers.load(id);
  }

  /** UserResponse. Throws not-found. */
  async get(account: Account, id: string): Promise<JsonText> {
    const [user] = await this.find(account, [id]);
    if (user === undefined) throw notFound('user');
    return userJson(user);
  }

  async findForSignIn(username: string): Promise<(UserAccount & Pick<User, 'passwordHash'>) | undefined> {
    type Row = UserAccount & Pick<User, 'passwordHash'>;
    const [row] = await this.database.read<Row>(NOBODY, this.statements.forSignIn, [username]);
    return row;
  }

  /** Throws not-found. */
  async getByUsername(username: string): Promise<UserAccount> {
    const user = await this.findForSignIn(username);
    if (user === undefined) throw notFound('user');
    return user;
  }

  /** For the command line, which prints columns. */
  async accounts(): Promise<Pick<User, 'id' | 'role' | 'username' | 'email'>[]> {
    const text = 'SELECT t.id, t.role, t.username, t.email FROM users t ORDER BY t.id';
    return this.database.read(NOBODY, { text }, []);
  }

  /** All accounts, by id, as an array of UserResponse: together they may be more than fits into memory. */
  list(account: Account): Parts {
    return { head: '[', parts: this.parts(account), tail: ']', longest: PART_OCTETS };
  }

  private async *parts(account: Account): AsyncGenerator<Buffer, void> {
    for (let [after, separator] = ['0', '']; ; separator = ',') {
      const users = await this.database.read<UserAccount>(account, this.statements.some, [after]);
      const last = users.at(-1);
      if (last === undefined) return;
      yield Buffer.from(separator + users.map((user) => userJson(user).text).join());
      after = last.id;
    }
  }

  /** Throws duplicate-email or duplicate-username: the unique indexes decide, not a look beforehand. */
  async insert(user: NewUser, isRepeated = false): Promise<UserAccount> {
    const [row] = await this.database.write<UserAccount>(NOBODY, this.statements.insert, user);
    if (row !== undefined) return row;
    const clash = await this.clashOf(user);
    if (clash !== undefined) throw new ProblemError(clash);
    if (isRepeated) throw new Error('no account has the names, and none is inserted: is its id taken?');
    return this.insert(user, true); // the other has just been deleted
  }

  /** Changes a role, from the next request on, or a password. Throws not-found. */
  async update(username: string, change: Partial<Pick<User, 'role' | 'passwordHash'>>): Promise<void> {
    const values = { role: null, passwordHash: null, ...change, username };
    const changed = await this.database.write(NOBODY, this.statements.update, values);
    if (changed.length === 0) throw notFound('user');
  }

  /** Throws not-found, or resource-in-use while properties belong to the account. */
  async delete(account: Account, id: string): Promise<void> {
    const gone = await this.database.write(account, this.statements.delete, [id]);
    if (gone.length === 0) throw notFound('user');
  }

  private async find(account: Account, ids: readonly string[]): Promise<UserAccount[]> {
    return this.database.read<UserAccount>(account, this.statements.byId, [ids]);
  }

  /** What another account has of a new one, after an insertion without a row. */
  private async clashOf({ email, username }: NewUser): Promise<ProblemSlug | undefined> {
    const text = `SELECT lower(email) = lower($1) AS "isEmail" FROM users
                   WHERE lower(email) = lower($1) OR lower(username) = lower($2)`;
    const rows = await this.database.read<{ isEmail: boolean }>(NOBODY, { text }, [email, username]);
    return rows.some(({ isEmail }) => isEmail) ? 'duplicate-email' : rows[0] && 'duplicate-username';
  }
}

/** TypeORM writes those that change a row. */
function statementsOf(dataSource: DataSource) {
  const columns = `t.id, ${OF_ACCOUNT}`;
  const users = dataSource.getRepository(User);
  const insertion = users.createQueryBuilder('t').insert().orIgnore().values(parametersFor(users, NEW));
  const update = users
    .createQueryBuilder()
    .update()
    .set({
      role: () => 'coalesce(:role::text, role)',
      passwordHash: () => 'coalesce(:passwordHash::text, password_hash)',
    })
    .where('lower(username) = lower(:username)')
    .returning('id');
  const deletion = users.createQueryBuilder().delete().where('id = :id').returning('id');
  return {
    byId: { name: 'users.by_id', text: `SELECT ${columns} FROM users t WHERE t.id = ANY ($1::bigint[])` },
    forSignIn: {
      name: 'users.sign_in',
      text: `SELECT ${columns}, t.password_hash AS "passwordHash" FROM users t WHERE lower(t.username) = lower($1)`,
    },
    /** The next behind an id: the contract has this list unpaged. */
    some: {
      name: 'users.some',
      text: `SELECT ${columns} FROM users t WHERE t.id > $1 ORDER BY t.id LIMIT ${LISTED}`,
    },
    insert: named('users.insert', insertion.returning(columns).getQuery()),
    update: named('users.update', update.getQuery()),
    delete: { ...named('users.delete', deletion.getQuery()), foreignKey },
  };
}
