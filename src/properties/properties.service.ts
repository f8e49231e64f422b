import { Injectable } from '@nestjs/common';
import { type Caller, ownerFor, scopeOf } from '../common/access/caller.js';
import type { JsonText } from '../common/json/exact-json.js';
import { changesJson, type ChangesQuery } from '../common/paging/changes.js';
import { type Page, readPage } from '../common/paging/read-page.js';
import { Changes } from '../database/changes.js';
import type { IdempotentRequest, StoredRow } from '../database/idempotency-keys.js';
import type { Versions } from '../database/owned.repository.js';
import type { PropertyListQuery, PropertyRequest } from './dto/property.request.js';
import { PropertiesRepository } from './properties.repository.js';

@Injectable()
export class PropertiesService {
  constructor(
    private readonly properties: PropertiesRepository,
    private readonly changed: Changes,
  ) {}

  /** Throws validation-failed for a cursor of another order. */
  async list(caller: Caller, query: PropertyListQuery): Promise<Page> {
    return readPage(this.properties, caller, this.properties.list(scopeOf(caller), query.sort), query);
  }

  /** PropertyChanges of the caller or, for an ADMIN, of the named owner. Throws not-found, and cursor-expired. */
  async changes(caller: Caller, query: ChangesQuery): Promise<JsonText> {
    const ownerId = ownerFor(caller, query.ownerId);
    return changesJson(await this.changed.page(caller, this.properties.changes, ownerId, query));
  }

  /** Throws not-found. */
  async get(caller: Caller, id: string): Promise<StoredRow> {
    return this.properties.get(caller, scopeOf(caller), id);
  }

  /** The caller becomes the owner. Throws authentication-required for a deleted account, and idempotency-key-reused. */
  async create(caller: Caller, request: PropertyRequest, once?: IdempotentRequest): Promise<StoredRow> {
    return this.properties.create(caller, caller.id, request, once);
  }

  /** Replaces every field a client may set. Throws not-found, or concurrent-modification when another write came between. */
  async update(caller: Caller, id: string, request: PropertyRequest, versions: Versions): Promise<StoredRow> {
    const scope = scopeOf(caller);
    const row = await this.properties.target(caller, scope, id, versions);
    return this.properties.replace(caller, scope, row, request);
  }

  /** Throws not-found, concurrent-modification, or resource-in-use while it has transactions. */
  async delete(caller: Caller, id: string, expected: Versions): Promise<void> {
    await this.properties.delete(caller, scopeOf(caller), id, expected);
  }
}
