import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { scopeOf } from '../access/owner-scope.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { type ExpectedVersions, OwnedRows, requireVersion, type StoredRow } from '../database/owned-rows.js';
import { ListReader } from '../database/lists/list-reader.js';
import { type ProblemError, resourceInUse, serviceUnavailable } from '../http/problem/problem.js';
import type { IdempotentRequest } from '../http/edge/idempotency-key.js';
import type { Page } from '../http/edge/page.js';
import { Semaphore } from '../http/edge/semaphore.js';
import { DEFAULT_PAGE_SIZE } from '../http/fields/page.js';
import type { PropertyListQuery, PropertyRequest } from './properties.dto.js';
import { propertyPage } from './properties.queries.js';
import { INSERT_PROPERTY, PROPERTIES, UPDATE_PROPERTY } from './properties.writes.js';

/** A page of a hundred of the longest texts has 12 MB, and several copies are in memory while it is read. */
const LONG_PAGES_AT_ONCE = 2;

@Injectable()
export class PropertiesService {
  private readonly rows: OwnedRows<PropertyRequest>;
  private readonly longPages: Semaphore;

  constructor(
    database: Database,
    private readonly lists: ListReader,
    @Inject(SETTINGS) settings: Pick<Settings, 'database'>,
  ) {
    this.longPages = new Semaphore(LONG_PAGES_AT_ONCE, settings.database.acquireTimeout);
    this.rows = new OwnedRows(database, PROPERTIES, 'property');
  }

  /** Throws validation-failed for a cursor of another order, and service-unavailable. */
  async list(caller: Caller, query: PropertyListQuery): Promise<Page> {
    if (query.size <= DEFAULT_PAGE_SIZE) return this.page(caller, query);
    if (!(await this.longPages.take())) throw serviceUnavailable('Too many long pages are being read.');
    return this.page(caller, query).finally(() => this.longPages.leave());
  }

  private async page(caller: Caller, query: PropertyListQuery): Promise<Page> {
    const list = propertyPage(scopeOf(caller), query.sort);
    const page = await this.lists.read(caller, list, query);
    if (page === undefined) throw new Error('the total of all is never null');
    return page;
  }

  /** Throws not-found. */
  async get(caller: Caller, id: string): Promise<StoredRow> {
    return this.rows.get(caller, id);
  }

  /**
   * The caller becomes the owner. Throws authentication-required when the caller's account has just been deleted, and
   * idempotency-key-reused.
   */
  async create(caller: Caller, request: PropertyRequest, once?: IdempotentRequest): Promise<StoredRow> {
    const values = [caller.id, ...PROPERTIES.values(request)];
    const row = await (once === undefined
      ? this.rows.write(caller, INSERT_PROPERTY, values)
      : this.rows.writeOnce(caller, INSERT_PROPERTY, values, caller.id, once));
    if (row === undefined) throw new Error('an INSERT of values returns its row or fails');
    return row;
  }

  /** Replaces every field a client may set. Throws not-found, or concurrent-modification when another write came between. */
  async update(
    caller: Caller,
    id: string,
    request: PropertyRequest,
    expected: ExpectedVersions,
  ): Promise<StoredRow> {
    const { ownerId, version } = await this.rows.locate(caller, id);
    requireVersion(expected, version);
    const values = [ownerId, id, version, ...PROPERTIES.values(request)];
    return (await this.rows.write(caller, UPDATE_PROPERTY, values)) ?? this.rows.throwMissed(caller, id);
  }

  /** Throws not-found, concurrent-modification, or resource-in-use while transactions refer to the property. */
  async delete(caller: Caller, id: string, expected: ExpectedVersions): Promise<void> {
    const inUse = (): ProblemError =>
      resourceInUse('Transactions refer to this property: delete or move them first.');
    await this.rows.delete(caller, id, expected, inUse);
  }

  /**
   * Whose key the statements about a property carry: the caller's own, with which they find nothing of others, or,
   * for ADMIN, its owner's. Throws not-found.
   */
  async ownerOf(caller: Caller, id: string): Promise<string> {
    const scope = scopeOf(caller);
    return scope === 'every-owner' ? (await this.rows.locate(caller, id)).ownerId : scope.ownerId;
  }

  /** For ADMIN: undefined when there is no such property. */
  async findOwner(admin: Caller, id: string): Promise<string | undefined> {
    return (await this.rows.find(admin, id))?.ownerId;
  }
}
