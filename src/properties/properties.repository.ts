import { Injectable } from '@nestjs/common';
import { ProblemError } from '../common/problems/problem.js';
import { fieldsOf } from '../common/validation/fields.js';
import { LedgerDataSource } from '../database/data-source.js';
import { Database } from '../database/database.js';
import { MissingAccount } from '../database/errors.js';
import {
  type ListStatement,
  ownedList,
  type OwnerScope,
  type SortKey,
} from '../database/lists/list-statement.js';
import { OF_VERSIONS, OwnedRepository, type RowVersions } from '../database/owned.repository.js';
import type { Account } from '../database/shares.js';
import { type NamedStatement, parametersFor } from '../database/statements.js';
import type { IdempotentRequest, StoredRow } from '../database/idempotency-keys.js';
import { PropertyRequest } from './dto/property.request.js';
import { PropertyResponse } from './dto/property.response.js';
import { type PropertySortField, PROPERTY_SORT_COLUMNS } from './properties.sort.js';
import { Property } from './property.entity.js';

const FIELDS = fieldsOf(PropertyRequest);

const inUse = (): ProblemError =>
  new ProblemError('resource-in-use', 'The property has transactions: delete or move them first.');

const foreignKey = (): MissingAccount => new MissingAccount();

/** All SQL of the table `properties`. */
@Injectable()
export class PropertiesRepository extends OwnedRepository<Property> {
  private readonly insertion: NamedStatement;
  private readonly replacement: NamedStatement;

  constructor(database: Database, dataSource: LedgerDataSource) {
    super(database, dataSource, Property, PropertyResponse, inUse);
    const written = parametersFor(this.entities, FIELDS);
    const insertion = this.entities
      .createQueryBuilder()
      .insert()
      .values(parametersFor(this.entities, ['ownerId', ...FIELDS]));
    this.insertion = { ...this.returning('insert', insertion), foreignKey };
    this.replacement = this.returning(
      'update',
      this.entities.createQueryBuilder().update().set(written).where(OF_VERSIONS),
    );
  }

  /** The properties of one owner or of every one, in this order. */
  list(scope: OwnerScope, keys: readonly SortKey<PropertySortField>[]): ListStatement {
    return { ...ownedList('properties', this.view, scope, keys, PROPERTY_SORT_COLUMNS), isLong: true };
  }

  /** Of the account's own. Throws {@link MissingAccount} when it has just been deleted, and that the key is reused. */
  async create(account: Account, request: PropertyRequest, once?: IdempotentRequest): Promise<StoredRow> {
    return this.insert(account, this.insertion, Object.assign({}, request, { ownerId: account.id }), once);
  }

  /** Writes every field of the request. Throws that the row is missing, or stale. */
  async replace(
    account: Account,
    scope: OwnerScope,
    row: RowVersions,
    request: PropertyRequest,
  ): Promise<StoredRow> {
    const written = await this.update(account, this.replacement, Object.assign({}, request, row));
    return written ?? this.refuse(account, scope, row.id);
  }
}
