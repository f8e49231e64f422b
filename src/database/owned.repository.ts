import type { Type } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { DataSource, ObjectLiteral, QueryDeepPartialEntity } from 'typeorm';
import { JsonText } from '../common/json/exact-json.js';
import { fieldsOf } from '../common/validation/fields.js';
import { changesStatement } from './changes.js';
import type { Database, Statement } from './database.js';
import { MissingRow, StaleVersion } from './errors.js';
import { type IdempotentRequest, type StoredRow, writeOnce, type WrittenRow } from './idempotency-keys.js';
import { JsonView } from './json-view.js';
import type { OwnerScope } from './lists/statement.js';
import { type Account, SEVERAL } from './shares.js';
import { named, parametersFor } from './statements.js';

/** Read together: between two reads a row could change, or move to another owner. */
type OwnerAndVersion = Readonly<{ ownerId: string; version: number }>;

/** The versions that a write expects; undefined for any. */
export type Versions = readonly number[] | undefined;

/** The values of a row, its owner among them. */
export type OwnedValues = Readonly<{ ownerId: string }>;

/** The row that an update looks for. */
export type RowVersions = Readonly<{ ownerId: string; id: string; versions: readonly number[] }>;

type FoundRow = Readonly<{ version: number; json: string }>;

/** What a write returns of its row. */
export type ReturnedRow = Readonly<Record<string, unknown>> & Pick<WrittenRow, 'id' | 'version'>;

/** The entity of a table, and what a request writes and a response shows of it. */
interface Kind<Entity, Request> {
  readonly entity: Type<Entity>;
  readonly request: Type<Request>;
  /** The request as the columns have it, where they differ. */
  readonly stored?: (request: Request) => object;
  readonly response: Type;
  /** Further columns of an update. */
  readonly also?: QueryDeepPartialEntity<Entity>;
  /** The error of a write when what the row belongs to is missing. */
  readonly noParent: () => Error;
  /** The error of a deletion while other rows refer to the row. */
  readonly inUse?: () => Error;
}

type RowKey = readonly [ownerId: string, id: string];

/** No account has this id. */
export const NO_OWNER = '0';

export const MOST_AT_ONCE = 16; // rows that requests read or write by one statement; more make all wait for the last

const OF_OWNER = 't.owner_id = $1 AND t.id = $2';
/** The conditions of a DELETE and an UPDATE, as TypeORM has them: without an alias. */
const OF_ANY_VERSION =
  'owner_id = :ownerId AND id = :id AND (:versions::integer[] IS NULL OR version = ANY (:versions))';
const OF_VERSIONS = 'owner_id = :ownerId AND id = :id AND version = ANY (:versions::integer[])';

/** The rows of one table by owner and id, for properties and transactions. TypeORM writes the statements that change one. */
export abstract class OwnedRepository<Entity extends ObjectLiteral, Request extends object> {
  protected readonly entities = this.dataSource.getRepository(this.kind.entity);
  protected readonly metadata = this.entities.metadata;
  private readonly noun = this.metadata.name.toLowerCase();
  readonly view = new JsonView(this.metadata, fieldsOf(this.kind.response));
  /** The same with the version, as a file has it. */
  readonly row = new JsonView(this.metadata, [...fieldsOf(this.kind.response), 'version']);
  readonly changes = changesStatement(this.metadata.tableName, this.noun, this.view);
  private readonly from = `FROM ${this.metadata.tableName} t WHERE`;
  readonly reads = {
    get: this.read<FoundRow>('get', `SELECT t.version, ${this.view.json} AS json ${this.from}`),
    locate: this.read<OwnerAndVersion>('locate', `SELECT t.owner_id AS "ownerId", t.version ${this.from}`),
  };
  /** SQL: the columns of a row that was written, beside the fields of the request. */
  protected readonly returned = `${this.view.columnsBeside(fieldsOf(this.kind.request))}, "version"`;
  protected readonly writes = this.writesOf(this.kind);

  protected constructor(
    readonly database: Database,
    private readonly dataSource: DataSource,
    private readonly kind: Kind<Entity, Request>,
  ) {}

  /** Throws {@link MissingRow}. */
  async get(account: Account, scope: OwnerScope, id: string): Promise<StoredRow> {
    const row = await this.reads.get.one(account, scope, id);
    if (row === undefined) throw new MissingRow(this.noun);
    return { id, version: row.version, json: new JsonText(row.json) };
  }

  /** Throws {@link MissingRow}. */
  async locate(account: Account, scope: OwnerScope, id: string): Promise<OwnerAndVersion> {
    const found = await this.reads.locate.one(account, scope, id);
    if (found === undefined) throw new MissingRow(this.noun);
    return found;
  }

  /** The owner in the key of statements about the row, who need not have it: they find out in their turn, and tell. */
  async ownerOf(account: Account, scope: OwnerScope, id: string): Promise<string> {
    if (scope !== 'every-owner') return scope.ownerId;
    return (await this.reads.locate.one(account, scope, id))?.ownerId ?? NO_OWNER;
  }

  /** The row for an update: as the client expects it, or as it is now. Throws {@link MissingRow}. */
  async target(account: Account, scope: OwnerScope, id: string, versions: Versions): Promise<RowVersions> {
    if (scope !== 'every-owner' && versions !== undefined) return { ...scope, id, versions };
    const { ownerId, version } = await this.locate(account, scope, id);
    return { ownerId, id, versions: versions ?? [version] };
  }

  /** Throws {@link MissingRow}, {@link StaleVersion}, or that the row is in use. */
  async delete(account: Account, scope: OwnerScope, id: string, expected: Versions): Promise<void> {
    const ownerId = await this.ownerOf(account, scope, id);
    const row = { ownerId, id, versions: expected ?? null };
    const [gone] = await this.database.write(account, this.writes.delete, row);
    if (gone === undefined) await this.refuse(account, scope, id);
  }

  /** Stores a row, or returns what the first request under the key stored. Throws {@link KeyReused}, and without a parent. */
  async create(account: Account, ownerId: string, request: Request, once?: IdempotentRequest) {
    const values = Object.assign({ ownerId }, this.kind.stored?.(request) ?? request);
    const { insert } = this.writes;
    const written = async (rows: Promise<ReturnedRow[]>): Promise<WrittenRow> => {
      const [row] = (await rows) as [ReturnedRow]; // or it fails
      return this.written(values, row);
    };
    const row = await (once === undefined
      ? written(this.writeRow(account, insert, values))
      : writeOnce(this.database, account, once, (run) => written(run(insert, values))));
    return storedRow(row);
  }

  /** Writes every field. Undefined when there is no such row in these versions. */
  protected async update(account: Account, values: RowVersions, statement = this.writes.update) {
    const [row] = await this.writeRow(account, statement, values);
    return row && storedRow(this.written(values, row));
  }

  protected writeRow(account: Account, statement: Statement, values: OwnedValues): Promise<ReturnedRow[]> {
    return this.database.write(account, statement, values);
  }

  /** For a write that has found no such row. Throws {@link MissingRow} or {@link StaleVersion}. */
  protected async refuse(account: Account, scope: OwnerScope, id: string): Promise<never> {
    await this.locate(account, scope, id);
    throw new StaleVersion();
  }

  /** Prepared once per connection under the table's name and this one. */
  protected nameOf(statement: string): string {
    return `${this.metadata.tableName}.${statement}`;
  }

  private written(values: object, row: ReturnedRow): WrittenRow {
    return { id: row.id, version: row.version, json: this.view.write(values, row) };
  }

  /** TypeORM writes the statements that change a row. */
  private writesOf({ request, noParent, also, inUse }: Kind<Entity, Request>) {
    const fields = fieldsOf(request);
    const builder = () => this.entities.createQueryBuilder();
    const values = parametersFor(this.entities, ['ownerId', ...fields]);
    const insertion = builder().insert().values(values).returning(this.returned);
    const set = { ...parametersFor(this.entities, fields), ...also };
    const update = builder().update().set(set).where(OF_VERSIONS).returning(this.returned);
    const deletion = builder().delete().where(OF_ANY_VERSION).returning('id');
    const of = (name: string, query: { getQuery(): string }) => named(this.nameOf(name), query.getQuery());
    return {
      insert: { ...of('insert', insertion), foreignKey: noParent },
      update: { ...of('update', update), foreignKey: noParent },
      delete: { ...of('delete', deletion), foreignKey: inUse },
    };
  }

  /** A read by key, for an ADMIN by the id alone. Reads of owners' rows that begin together share a statement. */
  private read<Row extends OwnerAndVersion | FoundRow>(name: string, select: string) {
    const ofOwner = { name: this.nameOf(name), text: `${select} ${OF_OWNER}` };
    const ofAnybody = { name: this.nameOf(`${name}_of_anybody`), text: `${select} t.id = $1` };
    const ofEach = { name: this.nameOf(`${name}_each`), text: eachOf(select) };
    const readEach = async (keys: readonly RowKey[]): Promise<(Row | undefined)[]> => {
      if (keys.length === 1 || !this.database.topology.takesOwnersTogether)
        return Promise.all(
          keys.map(async (key) => (await this.database.read<Row>({ id: key[0] }, ofOwner, key))[0]),
        );
      const [owners, ids] = [keys.map(([ownerId]) => ownerId), keys.map(([, id]) => id)];
      const account = new Set(owners).size === 1 ? { id: owners[0] ?? '' } : SEVERAL;
      const rows = await this.database.read<Row>(account, ofEach, [owners, ids]);
      return rows.map((row) => ((row.version as number | null) === null ? undefined : row));
    };
    const together = new DataLoader(readEach, { cache: false, maxBatchSize: MOST_AT_ONCE });
    const one = async (account: Account, scope: OwnerScope, id: string): Promise<Row | undefined> => {
      if (scope !== 'every-owner') return together.load([scope.ownerId, id]);
      return (await this.database.read<Row>(account, ofAnybody, [id]))[0];
    };
    return { ofOwner, ofAnybody, ofEach, one };
  }
}

function storedRow(row: WrittenRow & Pick<StoredRow, 'replayed'>): StoredRow {
  return { ...row, json: new JsonText(row.json) };
}

/**
 * SQL: $1 owners, $2 ids: a row for each pair in their order, of nulls where there is none.
 * Both LIMITs are for the planner. The first makes a generic plan as cheap as one for each number of rows, so that it is not
 * planned again, which takes longer than the look-up. The second keeps estimates from making a join that reads the table.
 */
function eachOf(row: string): string {
  return `SELECT r.*
    FROM (SELECT * FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY u (owner_id, id, place) LIMIT cardinality($1)) k
    LEFT JOIN LATERAL (${row} t.owner_id = k.owner_id AND t.id = k.id LIMIT 1) r ON true ORDER BY k.place`;
}
