import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { UserAccount } from '../common/access/caller.js';
import { JsonText } from '../common/json/exact-json.js';
import { notFound, ProblemError } from '../common/problems/problem.js';
import { fieldsOf } from '../common/validation/fields.js';
import { Database } from '../database/database.js';
import { MissingAccount } from '../database/errors.js';
import { JsonView } from '../database/json-view.js';
import { type Account, AUTHENTICATION, NOBODY } from '../database/shares.js';
import { named, parametersFor } from '../database/statements.js';
import { OF_ACCOUNT } from '../users/users.repository.js';
import type { KeyRequest } from './dto/key.request.js';
import { KeyResponse } from './dto/key.response.js';
import { ApiKey } from './key.entity.js';

/** A key with the account that it belongs to. */
type KeyRow = Pick<ApiKey, 'id' | 'userId' | 'digest' | 'access'> &
  UserAccount & { readonly isUsedToday: boolean };

/** What is drawn for a new key. */
type Draw = Pick<ApiKey, 'id' | 'slot'>;
type NewKey = KeyRequest & Draw & Pick<ApiKey, 'userId' | 'digest'>;

const NEW = ['id', 'userId', 'slot', 'name', 'access', 'digest', 'expiresAt'];

const TODAY = `(now() AT TIME ZONE 'UTC')::date`;

/** A new id and any free slot of the account: keys made at once seldom meet in one. Citus takes no subquery in an INSERT. */
const DRAW = {
  name: 'keys.draw',
  text: `SELECT (SELECT nextval('api_keys_id_seq')) AS id, s AS slot FROM generate_series(1, 20) s
          WHERE s NOT IN (SELECT k.slot FROM api_keys k WHERE k.user_id = $1) ORDER BY random() LIMIT 1`,
};

/** All SQL of the table `api_keys`. */
@Injectable()
export class KeysRepository {
  private readonly view = new JsonView(this.dataSource.getMetadata(ApiKey), fieldsOf(KeyResponse));
  readonly statements = statementsOf(this.dataSource, this.view);

  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
  ) {}

  /** Those that have not expired. */
  async find(ids: readonly string[]): Promise<KeyRow[]> {
    return this.database.read<KeyRow>(AUTHENTICATION, this.statements.byId, [ids]);
  }

  /** The text of a key holds its id. Throws resource-in-use when the account has as many keys as it may. */
  async draw(account: Account): Promise<Draw> {
    const [drawn] = await this.database.write<Draw>(account, DRAW, [account.id]);
    if (drawn !== undefined) return drawn;
    throw new ProblemError('resource-in-use', 'An account has at most 20 API keys: delete one first.');
  }

  /** Its JSON; undefined where another key has taken its slot meanwhile. Throws {@link MissingAccount}. */
  async insert(account: Account, key: NewKey): Promise<string | undefined> {
    const [row] = await this.database.write(account, this.statements.insert, key);
    return row && this.view.write(key, row);
  }

  /** The account's own by id, as an array of KeyResponse. */
  async list(account: Account): Promise<JsonText> {
    const [row] = await this.database.read<{ json: string }>(account, this.statements.ofUser, [account.id]);
    return new JsonText(`[${row?.json ?? ''}]`);
  }

  /** From the next request on the key is refused. Throws not-found. */
  async delete(account: Account, id: string): Promise<void> {
    const gone = await this.database.write(account, this.statements.delete, [account.id, id]);
    if (gone.length === 0) throw notFound('API key');
  }

  async markUsed(id: string): Promise<void> {
    await this.database.write(NOBODY, this.statements.use, [id]);
  }
}

/** TypeORM writes those that change a row. */
function statementsOf(dataSource: DataSource, view: JsonView) {
  const keys = dataSource.getRepository(ApiKey);
  const insertion = keys.createQueryBuilder().insert().orIgnore().values(parametersFor(keys, NEW));
  const deletion = keys.createQueryBuilder().delete().where('user_id = :userId AND id = :id');
  const use = keys
    .createQueryBuilder()
    .update()
    .set({ lastUsed: () => TODAY })
    .where(`id = :id AND last_used IS DISTINCT FROM ${TODAY}`);
  return {
    insert: {
      ...named('keys.insert', insertion.returning(view.columnsBeside(NEW)).getQuery()),
      foreignKey: () => new MissingAccount(),
    },
    delete: named('keys.delete', deletion.returning('id').getQuery()),
    use: named('keys.use', use.getQuery()),
    byId: {
      name: 'keys.by_id',
      text: `SELECT k.id, k.digest, k.access, coalesce(k.last_used = ${TODAY}, false) AS "isUsedToday",
                    t.id AS "userId", ${OF_ACCOUNT}
               FROM api_keys k JOIN users t ON t.id = k.user_id
              WHERE k.id = ANY ($1::bigint[]) AND (k.expires_at > now()) IS NOT FALSE`,
    },
    ofUser: {
      name: 'keys.of_user',
      text: `SELECT coalesce(string_agg(${view.json}, ',' ORDER BY t.id), '') AS json FROM api_keys t WHERE t.user_id = $1`,
    },
  };
}
