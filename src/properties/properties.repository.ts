import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ProblemError } from '../common/problems/problem.js';
import { Database } from '../database/database.js';
import { MissingAccount } from '../database/errors.js';
import { type ListStatement, ownedList, type OwnerScope, type SortKey } from '../database/lists/statement.js';
import { OwnedRepository, type RowVersions } from '../database/owned.repository.js';
import type { Account } from '../database/shares.js';
import { PropertyRequest } from './dto/property.request.js';
import { PropertyResponse } from './dto/property.response.js';
import { Property, PROPERTY_SORT_COLUMNS, type PropertySortField } from './property.entity.js';

const inUse = (): ProblemError =>
  new ProblemError('resource-in-use', 'The property has transactions: delete or move them first.');

const noParent = (): MissingAccount => new MissingAccount();
const KIND = { entity: Property, request: PropertyRequest, response: PropertyResponse, noParent, inUse };

/** All SQL of the table `properties`. */
@Injectable()
export class PropertiesRepository extends OwnedRepository<Property, PropertyRequest> {
  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, KIND);
  }

  /** The properties of one owner or of every one, in this order. */
  list(scope: OwnerScope, keys: readonly SortKey<PropertySortField>[]): ListStatement {
    return { ...ownedList('properties', this.view, scope, keys, PROPERTY_SORT_COLUMNS), isLong: true };
  }

  /** Writes every field of the request. Throws that the row is missing, or stale. */
  async replace(account: Account, scope: OwnerScope, row: RowVersions, request: PropertyRequest) {
    const written = await this.update(account, Object.assign({}, request, row));
    return written ?? this.refuse(account, scope, row.id);
  }
}
