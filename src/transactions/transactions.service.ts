import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { type OwnerScope, scopeOf } from '../access/owner-scope.js';
import { Database } from '../database/database.js';
import { type PageQuery, queryPage } from '../database/page-query.js';
import { JsonText } from '../http/json/exact-json.js';
import { pageEnvelope, type PageRequest } from '../http/fields/page.js';
import { concurrentModification, notFound, type ProblemError } from '../http/problem/problem.js';
import { type Precondition, Representation, requireMatch } from '../http/server/representation.js';
import { PropertiesService } from '../properties/properties.service.js';
import { hasFreeText, MAX_ROW_BY_ROW, searchFilters, searchSort, type TextSearch } from './search.js';
import type {
  TransactionListQuery,
  TransactionRequest,
  TransactionSearchRequest,
} from './transactions.dto.js';
import {
  filteredPage,
  OWNER_TOTAL,
  propertyTransactionPage,
  TRANSACTION_BY_ID,
  TRANSACTION_OF_ANYBODY,
  TRANSACTION_PLACE,
  TRANSACTION_PLACE_OF_OWNER,
  transactionPage,
} from './transactions.queries.js';
import {
  DELETE_TRANSACTION,
  DELETE_TRANSACTION_VERSION,
  INSERT_TRANSACTION,
  MOVE_TRANSACTION,
  UPDATE_TRANSACTION,
  writtenValues,
} from './transactions.writes.js';

interface WrittenRow {
  readonly id: string;
  readonly version: number;
  readonly json: string;
}

@Injectable()
export class TransactionsService {
  constructor(
    private readonly database: Database,
    private readonly properties: PropertiesService,
  ) {}

  async list(caller: Caller, query: TransactionListQuery): Promise<JsonText> {
    return this.page(transactionPage(scopeOf(caller), query.sort), query);
  }

  async search(caller: Caller, request: TransactionSearchRequest): Promise<JsonText> {
    const scope = scopeOf(caller);
    const textSearch = hasFreeText(request) ? await this.textSearchIn(scope) : 'row-by-row';
    return this.page(filteredPage(scope, searchSort(request), searchFilters(request, textSearch)), request);
  }

  /** Throws not-found when the property is not the caller's. */
  async listOfProperty(caller: Caller, propertyId: string, query: TransactionListQuery): Promise<JsonText> {
    const ownerId = await this.properties.ownerOf(caller, propertyId);
    return this.page(propertyTransactionPage(ownerId, propertyId, query.sort), query);
  }

  /** Throws not-found. */
  async get(caller: Caller, id: string): Promise<Representation> {
    const scope = scopeOf(caller);
    const [row] = await (scope === 'every-owner'
      ? this.database.read<Omit<WrittenRow, 'id'>>(TRANSACTION_OF_ANYBODY, [id])
      : this.database.read<Omit<WrittenRow, 'id'>>(TRANSACTION_BY_ID, [scope.ownerId, id]));
    if (row === undefined) throw notFound('transaction');
    return represent(row);
  }

  /** Throws not-found when the property is not the caller's. An ADMIN files it for the property's owner. */
  async create(caller: Caller, request: TransactionRequest): Promise<Representation> {
    const ownerId = await this.properties.ownerOf(caller, request.propertyId);
    const values = [ownerId, request.propertyId, ...writtenValues(request)];
    const [row] = await this.database.write<WrittenRow>(INSERT_TRANSACTION, values);
    if (row === undefined) throw notFound('property');
    return represent(row, `/api/transactions/${row.id}`);
  }

  /**
   * Replaces every field a client may set; what is left out takes its default again. Throws not-found for the
   * transaction or the property, or concurrent-modification when another write came between.
   */
  async update(
    caller: Caller,
    id: string,
    request: TransactionRequest,
    precondition: Precondition,
  ): Promise<Representation> {
    const { ownerId, version } = await this.placeOf(caller, id);
    const newOwnerId = await this.properties.ownerOf(caller, request.propertyId);
    requireMatch(precondition, version);
    const values = [request.propertyId, ...writtenValues(request)];
    const [row] =
      newOwnerId === ownerId
        ? await this.database.write<WrittenRow>(UPDATE_TRANSACTION, [ownerId, id, version, ...values])
        : await this.database.write<WrittenRow>(MOVE_TRANSACTION, [
            ownerId,
            id,
            version,
            newOwnerId,
            ...values,
          ]);
    if (row === undefined) throw await this.missedUpdate(caller, id, request.propertyId);
    return represent(row);
  }

  /** Throws not-found, or concurrent-modification when another write came between. */
  async delete(caller: Caller, id: string, precondition: Precondition): Promise<void> {
    const [gone] = await (precondition === undefined
      ? this.database.write(DELETE_TRANSACTION, [await this.ownerOf(caller, id), id])
      : this.deleteVersion(caller, id, precondition));
    if (gone === undefined) throw await this.missedWrite(caller, id);
  }

  private async deleteVersion(caller: Caller, id: string, precondition: string): Promise<unknown[]> {
    const { ownerId, version } = await this.placeOf(caller, id);
    requireMatch(precondition, version);
    return this.database.write(DELETE_TRANSACTION_VERSION, [ownerId, id, version]);
  }

  private async textSearchIn(scope: OwnerScope): Promise<TextSearch> {
    if (scope === 'every-owner') return 'indexed';
    const [row] = await this.database.read<{ transactions: string }>(OWNER_TOTAL, [scope.ownerId]);
    return Number(row?.transactions ?? 0) > MAX_ROW_BY_ROW ? 'indexed' : 'row-by-row';
  }

  private async page(query: PageQuery, request: PageRequest): Promise<JsonText> {
    const rows = await queryPage(this.database, query, request);
    if (rows === undefined) throw notFound('property');
    return pageEnvelope(request, rows);
  }

  /** A USER's statements carry the caller's own key; an ADMIN acts as the owner. Throws not-found. */
  private async ownerOf(caller: Caller, id: string): Promise<string> {
    const scope = scopeOf(caller);
    return scope === 'every-owner' ? (await this.placeOf(caller, id)).ownerId : scope.ownerId;
  }

  /** Owner and version in one look: between two of them the transaction could move. Throws not-found. */
  private async placeOf(caller: Caller, id: string): Promise<{ ownerId: string; version: number }> {
    const scope = scopeOf(caller);
    const [row] = await (scope === 'every-owner'
      ? this.database.read<{ owner_id: string; version: number }>(TRANSACTION_PLACE, [id])
      : this.database.read<{ owner_id: string; version: number }>(TRANSACTION_PLACE_OF_OWNER, [
          scope.ownerId,
          id,
        ]));
    if (row === undefined) throw notFound('transaction');
    return { ownerId: row.owner_id, version: row.version };
  }

  /** Why a write hit no row: it is gone (thrown), or somebody changed it, maybe its owner. */
  private async missedWrite(caller: Caller, id: string): Promise<ProblemError> {
    await this.placeOf(caller, id);
    return concurrentModification();
  }

  /** As {@link missedWrite}, or the property has gone meanwhile. */
  private async missedUpdate(caller: Caller, id: string, propertyId: string): Promise<ProblemError> {
    const conflict = await this.missedWrite(caller, id);
    const ownerId = await this.properties.ownerOf(caller, propertyId);
    return (await this.properties.exists(ownerId, propertyId)) ? conflict : notFound('property');
  }
}

function represent({ version, json }: Omit<WrittenRow, 'id'>, location?: string): Representation {
  return new Representation(new JsonText(json), {
    version,
    ...(location === undefined ? {} : { location }),
  });
}
