import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { fieldsOf } from '../common/validation/fields.js';
import { Database, type RunStatement, type Statement } from '../database/database.js';
import { MissingRow, StaleVersion } from '../database/errors.js';
import { JsonView } from '../database/json-view.js';
import { type ListStatement, ownedList, type OwnerScope, preparedName } from '../database/lists/statement.js';
import {
  OwnedRepository,
  type OwnedValues,
  type ReturnedRow,
  type RowVersions,
} from '../database/owned.repository.js';
import type { Account } from '../database/shares.js';
import { columnOf, named, typedFields, typeOf } from '../database/statements.js';
import type { StoredRow } from '../database/idempotency-keys.js';
import { PropertiesRepository } from '../properties/properties.repository.js';
import { type TransactionFilters, TransactionRequest } from './dto/transaction.request.js';
import { SUMMARY_FIELDS, TransactionResponse } from './dto/transaction.response.js';
import { GroupCommit, insertEach, updateEach } from './group-commit.js';
import { hasText, MAX_ROW_BY_ROW, searchPage } from './search.js';
import {
  INDEXED,
  OWNER_ID_COLUMNS,
  Transaction,
  TRANSACTION_SORT_COLUMNS,
  type TransactionSort,
  UNINDEXED,
} from './transaction.entity.js';
import { updateMany } from './update-many.js';

export const OWNER_TOTAL: Statement = {
  name: 'transactions.owner_total',
  text: 'SELECT o.transactions FROM owner_totals o WHERE o.owner_id = $1',
};

/** $1 number of ids. A statement of its own: a write would draw them on another server of a cluster. */
const DRAW_IDS: Statement = {
  name: 'transactions.draw_ids',
  text: `SELECT nextval('transactions_id_seq') AS id FROM generate_series(1, $1::integer)`,
};

const FIELDS = fieldsOf(TransactionRequest);

/** The property that is named is gone, or never was the owner's. */
const foreignKey = (): MissingRow => new MissingRow('property');

/** Never NULL, which would be refused before the foreign key, which tells that the owner has no such property. */
const PROPERTY_NAME = `coalesce((SELECT p.name FROM properties p WHERE p.owner_id = :ownerId AND p.id = :propertyId), '')`;
const KIND = {
  ...{ entity: Transaction, request: TransactionRequest, response: TransactionResponse },
  stored,
  // An insertion leaves the name to the database (see the migration).
  also: { propertyName: () => PROPERTY_NAME },
  noParent: foreignKey,
};

/** All SQL of the table `transactions`. Each write is a single statement, so that nothing can be half-written. */
@Injectable()
export class TransactionsRepository extends OwnedRepository<Transaction, TransactionRequest> {
  private readonly columns = FIELDS.map((field) => columnOf(this.metadata, field));
  readonly summary = new JsonView(this.metadata, SUMMARY_FIELDS);
  readonly updateMany = updateMany(this.columns, new JsonView(this.metadata, FIELDS).json);
  readonly groups = [
    this.groupOf(this.writes.insert, insertEach, 'in-turn'),
    this.groupOf(this.writes.update, updateEach, 'at-once'),
  ];
  private readonly move = { ...named('transactions.move', this.moveSql()), foreignKey };
  /** Of an owner: `rows` is a JSON array of {@link stored} requests, each with an id that has been drawn. */
  readonly insertMany = named('transactions.insert_many', this.bulkSql());
  /** The same, with the JSON of each row. */
  readonly insertReturned = {
    ...this.insertMany,
    name: 'transactions.insert_many_returned',
    text: `WITH written AS (${this.insertMany.text} RETURNING t.*) SELECT t.id, ${this.view.json} AS json FROM written t`,
  };

  constructor(
    database: Database,
    dataSource: DataSource,
    private readonly properties: PropertiesRepository,
  ) {
    super(database, dataSource, KIND);
  }

  /**
   * The transactions of one owner or of every one, in this order. Without an index in that order the list is long: any page
   * reads all rows or their index entries. Rows are read in half the time by a statement that is not prepared.
   */
  list(scope: OwnerScope, sort: TransactionSort): ListStatement {
    const byId = scope !== 'every-owner' && sort[0]?.field === 'id';
    const columns = byId ? OWNER_ID_COLUMNS : TRANSACTION_SORT_COLUMNS;
    const list = ownedList('transactions', this.summary, scope, sort, columns);
    if (list.name !== undefined && sort.every(({ field }) => INDEXED.includes(field))) return list;
    const isPrepared = !sort.some(({ field }) => UNINDEXED.includes(field));
    return { ...list, isLong: true, name: isPrepared ? list.name : undefined };
  }

  /** Its total is null when the owner has no such property; a property that has lost its total is counted. */
  listOfProperty(ownerId: string, propertyId: string, sort: TransactionSort): ListStatement {
    const kept = 'SELECT k.transactions FROM property_totals k WHERE k.owner_id = $1 AND k.property_id = $2';
    const counted = 'SELECT count(*) FROM transactions t WHERE t.owner_id = $1 AND t.property_id = $2';
    const ofOwner = this.list({ ownerId }, sort);
    return {
      ...ofOwner,
      name: ofOwner.name && preparedName('transactions.of_property', sort),
      where: `t.owner_id = $1 AND t.property_id = $2`,
      total: `coalesce((${kept}), (SELECT (${counted}) FROM properties p WHERE p.owner_id = $1 AND p.id = $2))`,
      values: [ownerId, propertyId],
    };
  }

  /** The transactions of a search, in its order. */
  async search(account: Account, scope: OwnerScope, request: TransactionFilters): Promise<ListStatement> {
    const isIndexed = hasText(request) && (await this.hasManyRows(account, scope));
    return searchPage((sort) => this.list(scope, sort), request, isIndexed ? 'indexed' : 'row-by-row');
  }

  /** Writes every field; to another owner the row moves. Throws not-found for row or property, or concurrent-modification. */
  async replace(
    account: Account,
    scope: OwnerScope,
    row: RowVersions,
    newOwnerId: string,
    request: TransactionRequest,
  ): Promise<StoredRow> {
    const values = Object.assign(stored(request), row, { newOwnerId });
    const written = await this.update(account, values, newOwnerId === row.ownerId ? undefined : this.move);
    if (written !== undefined) return written;
    const { version } = await this.locate(account, scope, row.id);
    if (row.versions.includes(version))
      await this.properties.locate(account, { ownerId: newOwnerId }, request.propertyId); // it is missing
    throw new StaleVersion();
  }

  protected override writeRow(account: Account, statement: Statement, values: OwnedValues) {
    const group = this.groups.find(({ one }) => one === statement);
    return group?.write(account, values) ?? super.writeRow(account, statement, values);
  }

  async drawIds(run: RunStatement, count: number): Promise<string[]> {
    return (await run<{ id: string }>(DRAW_IDS, [count])).map(({ id }) => id);
  }

  private groupOf(one: Statement, each: typeof insertEach, order: 'at-once' | 'in-turn') {
    return new GroupCommit<ReturnedRow>(this.database, one, each(this.columns, this.returned), order);
  }

  private async hasManyRows(account: Account, scope: OwnerScope): Promise<boolean> {
    if (scope === 'every-owner') return true;
    const [row] = await this.database.read<{ transactions: string }>(account, OWNER_TOTAL, [scope.ownerId]);
    return Number(row?.transactions ?? 0) > MAX_ROW_BY_ROW;
  }

  /** The key holds the owner: a move deletes and inserts in one statement, and deletes nothing unless it inserts. */
  private moveSql(): string {
    const { metadata } = this;
    const written = this.columns.filter(({ propertyName }) => propertyName !== 'propertyId');
    const set = ['id', 'ownerId', 'propertyId', 'propertyName', 'version', 'updatedAt'];
    const kept = metadata.columns.filter(
      (column) => column.isInsert && !written.includes(column) && !set.includes(column.propertyPath),
    );
    const columns = [...kept, ...written].map(({ databaseName }) => databaseName);
    const values = [
      ...kept.map(({ databaseName }) => `old.${databaseName}`),
      ...written.map((column) => `:${column.propertyName}::${typeOf(column)}`),
    ];
    const property = 'properties p WHERE p.owner_id = :newOwnerId AND p.id = :propertyId';
    return `WITH old AS (
         DELETE FROM transactions t WHERE t.owner_id = :ownerId AND t.id = :id AND t.version = ANY (:versions::integer[])
            AND EXISTS (SELECT 1 FROM ${property}) RETURNING t.*),
       written AS (
         INSERT INTO transactions AS t (id, version, owner_id, property_id, property_name, ${columns.join(', ')})
         SELECT old.id, old.version + 1, p.owner_id, p.id, p.name, ${values.join(', ')} FROM old, ${property}
         RETURNING t.*)
       SELECT ${this.returned} FROM written t`;
  }

  private bulkSql(): string {
    const { columns } = this;
    const names = columns.map(({ databaseName }) => databaseName).join(', ');
    const fields = columns.map(({ propertyName }) => `"${propertyName}"`).join(', ');
    return `INSERT INTO transactions AS t (owner_id, id, ${names})
      SELECT :ownerId::bigint, id, ${fields} FROM json_to_recordset(:rows::json) AS r(id bigint, ${typedFields(columns)})`;
  }
}

/** The request as the columns have it: the default of `frequency` depends on `recurring`; no tags and no metadata are NULL. */
export function stored<
  Request extends Pick<TransactionRequest, 'frequency' | 'recurring' | 'tags' | 'metadata'>,
>(request: Request) {
  const { frequency, recurring, tags, metadata } = request;
  return Object.assign({}, request, {
    frequency: frequency ?? (recurring ? null : 'ONE_TIME'),
    tags: tags.length === 0 ? null : tags,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
  });
}
