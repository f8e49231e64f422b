import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/access/caller.js';
import { scopeOf } from '../common/access/owner-scope.js';
import { Database } from '../database/database.js';
import { type ExpectedVersions, OwnedRows, type StoredRow } from '../database/owned-rows.js';
import { readPage } from '../database/lists/read-page.js';
import { Shares } from '../database/shares.js';
import type { IdempotentRequest } from '../http/idempotency-key.js';
import type { Page } from '../http/representation.js';
import { DEFAULT_PAGE_SIZE } from '../common/paging/page.js';
import type { PropertyListQuery, PropertyRequest } from './dto/property.request.js';
import { INSERT_PROPERTY, PROPERTIES, propertyPage, UPDATE_PROPERTY } from './properties.queries.js';

@Injectable()
export class PropertiesService extends OwnedRows<PropertyRequest> {
  constructor(
    database: Database,
    private readonly shares: Shares,
  ) {
    super(database, PROPERTIES, 'property');
  }

  /** Throws validation-failed for a cursor of another order, too-many-requests and service-unavailable. */
  async list(caller: Caller, query: PropertyListQuery): Promise<Page> {
    const leave = query.size > DEFAULT_PAGE_SIZE ? await this.shares.longPages.take(caller) : undefined;
    return readPage(this.database, caller, propertyPage(scopeOf(caller), query.sort), query).finally(leave);
  }

  /**
   * The caller becomes the owner. Throws authentication-required when the caller's account has just been deleted, and
   * idempotency-key-reused.
   */
  async create(caller: Caller, request: PropertyRequest, once?: IdempotentRequest): Promise<StoredRow> {
    const values = [caller.id, ...PROPERTIES.values(request)];
    return this.insert(caller, caller.id, INSERT_PROPERTY, values, once);
  }

  /** Replaces every field a client may set. Throws not-found, or concurrent-modification when another write came between. */
  async update(
    caller: Caller,
    id: string,
    request: PropertyRequest,
    expected: ExpectedVersions,
  ): Promise<StoredRow> {
    const { ownerId, version } = await this.locate(caller, id);
    const values = [ownerId, id, version, ...PROPERTIES.values(request)];
    return this.replace(caller, id, version, expected, UPDATE_PROPERTY, values);
  }

  /**
   * Whose key the statements about a property carry: the caller's own, with which they find nothing of others, or,
   * for ADMIN, its owner's. Throws not-found.
   */
  async ownerOf(caller: Caller, id: string): Promise<string> {
    const scope = scopeOf(caller);
    return scope === 'every-owner' ? (await this.locate(caller, id)).ownerId : scope.ownerId;
  }
}
