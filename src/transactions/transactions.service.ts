import { Injectable } from '@nestjs/common';
import { type Caller, ownerFor, scopeOf } from '../common/access/caller.js';
import type { JsonText } from '../common/json/exact-json.js';
import { changesJson, type ChangesQuery } from '../common/paging/changes.js';
import { validationFailed } from '../common/problems/problem.js';
import { Changes } from '../database/changes.js';
import type { PagePlace } from '../database/lists/page-rows.js';
import type { ListStatement, OwnerScope } from '../database/lists/statement.js';
import { type Page, readPage } from '../common/paging/read-page.js';
import type { Versions } from '../database/owned.repository.js';
import type { IdempotentRequest, StoredRow } from '../database/idempotency-keys.js';
import { PropertiesRepository } from '../properties/properties.repository.js';
import type * as dto from './dto/transaction.request.js';
import { TransactionsRepository } from './transactions.repository.js';

@Injectable()
export class TransactionsService {
  constructor(
    private readonly transactions: TransactionsRepository,
    private readonly properties: PropertiesRepository,
    private readonly changed: Changes,
  ) {}

  /** Throws validation-failed for a cursor of another order. */
  async list(caller: Caller, query: dto.TransactionListQuery): Promise<Page> {
    return readPage(this.transactions, caller, this.transactions.list(scopeOf(caller), query.sort), query);
  }

  /** The cursor is in the body or, as links have it, in the query. Throws validation-failed for one of another order. */
  async search(caller: Caller, request: dto.TransactionSearchRequest, linked: PagePlace | null) {
    if (linked !== null && (request.cursor !== null || (request.page ?? 0) > 0))
      throw validationFailed({ cursor: 'must be given once, and without page' });
    const cursor = linked ?? request.cursor;
    const list = await this.matching(caller, request);
    return readPage(this.transactions, caller, list, { page: request.page, size: request.size, cursor });
  }

  /** The transactions of a search, in its order. */
  async matching(caller: Caller, request: dto.TransactionFilters): Promise<ListStatement> {
    return this.transactions.search(caller, await this.scopeOfSearch(caller, request), request);
  }

  /** Throws not-found when the property is not the caller's, and validation-failed for a cursor of another order. */
  async listOfProperty(caller: Caller, propertyId: string, query: dto.TransactionListQuery): Promise<Page> {
    const ownerId = await this.properties.ownerOf(caller, scopeOf(caller), propertyId);
    const list = this.transactions.listOfProperty(ownerId, propertyId, query.sort);
    return readPage(this.transactions, caller, list, query);
  }

  /** TransactionChanges of the caller or, for an ADMIN, of the named owner. Throws not-found, and cursor-expired. */
  async changes(caller: Caller, query: ChangesQuery): Promise<JsonText> {
    const ownerId = ownerFor(caller, query.ownerId);
    return changesJson(await this.changed.page(caller, this.transactions.changes, ownerId, query));
  }

  /** Throws not-found. */
  async get(caller: Caller, id: string): Promise<StoredRow> {
    return this.transactions.get(caller, scopeOf(caller), id);
  }

  /** An ADMIN files it for the property's owner. Throws not-found for the property, and idempotency-key-reused. */
  async create(caller: Caller, request: dto.TransactionRequest, once?: IdempotentRequest) {
    const ownerId = await this.properties.ownerOf(caller, scopeOf(caller), request.propertyId);
    return this.transactions.create(caller, ownerId, request, once);
  }

  /** One left out takes its default again. Throws not-found for row or property, or concurrent-modification. */
  async update(caller: Caller, id: string, request: dto.TransactionRequest, versions: Versions) {
    const scope = scopeOf(caller);
    const row = await this.transactions.target(caller, scope, id, versions);
    const newOwnerId = await this.properties.ownerOf(caller, scope, request.propertyId);
    return this.transactions.replace(caller, scope, row, newOwnerId, request);
  }

  /** Throws not-found or concurrent-modification. */
  async delete(caller: Caller, id: string, expected: Versions): Promise<void> {
    await this.transactions.delete(caller, scopeOf(caller), id, expected);
  }

  /** An ADMIN's search in one property has the scope of its owner. */
  private async scopeOfSearch(caller: Caller, { propertyId }: dto.TransactionFilters): Promise<OwnerScope> {
    const scope = scopeOf(caller);
    return propertyId === null
      ? scope
      : { ownerId: await this.properties.ownerOf(caller, scope, propertyId) };
  }
}
