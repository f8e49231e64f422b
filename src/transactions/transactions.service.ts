import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/access/caller.js';
import { type OwnerScope, scopeOf } from '../common/access/owner-scope.js';
import { Database } from '../database/database.js';
import { type ExpectedVersions, OwnedRows, type StoredRow } from '../database/owned-rows.js';
import { readPage } from '../database/lists/read-page.js';
import type { ListStatement } from '../database/lists/list-statement.js';
import { validationFailed } from '../common/problems/problem.js';
import type { IdempotentRequest } from '../http/idempotency-key.js';
import type { Page } from '../http/representation.js';
import { PropertiesService } from '../properties/properties.service.js';
import { hasText, MAX_ROW_BY_ROW, searchPage } from './search.js';
import type {
  TransactionListQuery,
  TransactionRequest,
  TransactionSearchRequest,
} from './dto/transaction.request.js';
import * as sql from './transactions.queries.js';

@Injectable()
export class TransactionsService extends OwnedRows<TransactionRequest> {
  constructor(
    database: Database,
    private readonly properties: PropertiesService,
  ) {
    super(database, sql.TRANSACTIONS, 'transaction');
  }

  /** Throws validation-failed for a cursor of another order. */
  async list(caller: Caller, query: TransactionListQuery): Promise<Page> {
    return readPage(this.database, caller, sql.transactionPage(scopeOf(caller), query.sort), query);
  }

  /** The cursor is in the request, or beside it, as links have it. Throws validation-failed for one of another order. */
  async search(caller: Caller, request: TransactionSearchRequest, linked: string | null): Promise<Page> {
    if (linked !== null && request.cursor !== null) throw validationFailed({ cursor: 'must be given once' });
    const cursor = linked ?? request.cursor;
    const list = await this.matching(caller, request);
    return readPage(this.database, caller, list, { page: request.page, size: request.size, cursor });
  }

  /** The transactions of a search, in its order. */
  async matching(caller: Caller, request: TransactionSearchRequest): Promise<ListStatement> {
    const scope = await this.scopeOfSearch(caller, request);
    const isIndexed = hasText(request) && (await this.hasManyRows(caller, scope));
    return searchPage(scope, request, isIndexed ? 'indexed' : 'row-by-row');
  }

  /** Throws not-found when the property is not the caller's, and validation-failed for a cursor of another order. */
  async listOfProperty(caller: Caller, propertyId: string, query: TransactionListQuery): Promise<Page> {
    const ownerId = await this.properties.ownerOf(caller, propertyId);
    const list = sql.propertyTransactionPage(ownerId, propertyId, query.sort);
    return readPage(this.database, caller, list, query);
  }

  /**
   * Throws not-found when the property is not the caller's, and idempotency-key-reused. An ADMIN files it for the
   * property's owner.
   */
  async create(caller: Caller, request: TransactionRequest, once?: IdempotentRequest): Promise<StoredRow> {
    const ownerId = await this.properties.ownerOf(caller, request.propertyId);
    const values = [ownerId, request.propertyId, ...sql.valuesOf(request)];
    return this.insert(caller, ownerId, sql.INSERT_TRANSACTION, values, once);
  }

  /**
   * Replaces every field a client may set; what is left out takes its default again. Throws not-found for the
   * transaction or the property, or concurrent-modification when another write came between.
   */
  async update(
    caller: Caller,
    id: string,
    request: TransactionRequest,
    expected: ExpectedVersions,
  ): Promise<StoredRow> {
    const { ownerId, version } = await this.locate(caller, id);
    const newOwnerId = await this.properties.ownerOf(caller, request.propertyId);
    const key = [ownerId, id, version];
    const values = [request.propertyId, ...sql.valuesOf(request)];
    return newOwnerId === ownerId
      ? this.replace(caller, id, version, expected, sql.UPDATE_TRANSACTION, [...key, ...values])
      : this.replace(caller, id, version, expected, sql.MOVE_TRANSACTION, [...key, newOwnerId, ...values]);
  }

  /** More than can be looked through one by one. */
  private async hasManyRows(caller: Caller, scope: OwnerScope): Promise<boolean> {
    if (scope === 'every-owner') return true;
    const [row] = await this.database.read<{ transactions: string }>(caller, sql.OWNER_TOTAL, [
      scope.ownerId,
    ]);
    return Number(row?.transactions ?? 0) > MAX_ROW_BY_ROW;
  }

  /** An ADMIN's search in one property is its owner's. */
  private async scopeOfSearch(
    caller: Caller,
    { propertyId }: Pick<TransactionSearchRequest, 'propertyId'>,
  ): Promise<OwnerScope> {
    const scope = scopeOf(caller);
    if (scope !== 'every-owner' || propertyId === null) return scope;
    return { ownerId: (await this.properties.find(caller, propertyId))?.ownerId ?? sql.NO_OWNER };
  }
}
