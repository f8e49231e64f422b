import type DataLoader from 'dataloader';
import type { Caller } from '../access/caller.js';
import { scopeOf } from '../access/owner-scope.js';
import { JsonText } from '../http/json/exact-json.js';
import { concurrentModification, notFound, ProblemError } from '../http/problem/problem.js';
import type { IdempotentRequest } from '../http/edge/idempotency-key.js';
import { batched } from './batch.js';
import type { Database, Statement } from './database.js';
import { isUnsupported } from './errors.js';
import { keptAnswer, KeyTaken, writeAndKeep, type WrittenRow } from './idempotency-keys.js';
import type { OwnedTable } from './owned-table.js';
import { SEVERAL } from './shares.js';

/** A resource as it is stored. */
export interface StoredRow {
  readonly id: string;
  readonly version: number;
  readonly json: JsonText;
  /** As an earlier request with the same Idempotency-Key has stored it. */
  readonly replayed?: boolean;
}

/** Read in one look: between two of them a row could change, or move to another owner. */
export interface OwnerAndVersion {
  readonly ownerId: string;
  readonly version: number;
}

/** The versions that a write may meet; undefined when any will do. */
export type ExpectedVersions = readonly number[] | undefined;

/** A row of an owner: an id alone says nothing of whose it is. */
interface RowKey {
  readonly ownerId: string;
  readonly id: string;
}

interface FoundRow {
  readonly version: number;
  readonly json: string | null;
}

/** Rows read by one statement; more make all wait for the last. */
const MOST_AT_ONCE = 16;

/** The rows of one table by their key: what properties and transactions have in common. */
export class OwnedRows<Request extends object> {
  private readonly together: DataLoader<RowKey, StoredRow | undefined>;

  constructor(
    private readonly database: Database,
    readonly table: OwnedTable<Request>,
    private readonly noun: 'property' | 'transaction',
  ) {
    this.together = batched((keys) => this.readEach(keys), { atMost: MOST_AT_ONCE });
  }

  /** Throws not-found. */
  async get(caller: Caller, id: string): Promise<StoredRow> {
    const scope = scopeOf(caller);
    const row = await (scope === 'every-owner'
      ? this.getOfAnybody(caller, id)
      : this.getOf({ ownerId: scope.ownerId, id }));
    if (row === undefined) throw notFound(this.noun);
    return row;
  }

  /** Throws not-found. */
  async locate(caller: Caller, id: string): Promise<OwnerAndVersion> {
    const found = await this.find(caller, id);
    if (found === undefined) throw notFound(this.noun);
    return found;
  }

  async find(caller: Caller, id: string): Promise<OwnerAndVersion | undefined> {
    const scope = scopeOf(caller);
    const [statement, values] =
      scope === 'every-owner' ? [this.table.locateOfAnybody, [id]] : [this.table.locate, [scope.ownerId, id]];
    const [row] = await this.database.read<{ owner_id: string; version: number }>(caller, statement, values);
    return row && { ownerId: row.owner_id, version: row.version };
  }

  /** Runs a write of {@link OwnedTable.answering}; undefined when it hit no row. */
  async write(caller: Caller, statement: Statement, values: unknown[]): Promise<StoredRow | undefined> {
    const [row] = await this.database.write<WrittenRow>(caller, statement, values);
    return row && { ...row, json: new JsonText(row.json) };
  }

  /**
   * As {@link write}; with a key it returns what an earlier request under it has stored, whatever became of that row. Two
   * at once: the second waits for the first. Throws idempotency-key-reused.
   */
  async writeOnce(
    caller: Caller,
    statement: Statement,
    values: unknown[],
    ownerId: string,
    request: IdempotentRequest | undefined,
  ): Promise<StoredRow | undefined> {
    if (request === undefined) return this.write(caller, statement, values);
    const owner = { ownerId, callerId: caller.id };
    try {
      const row = await writeAndKeep(this.database, caller, { statement, values }, ownerId, request);
      return row && { ...row, json: new JsonText(row.json) };
    } catch (error) {
      // What it referred to may have gone since it was stored.
      if (!(error instanceof KeyTaken || isNotFound(error))) throw error;
      const kept = await keptAnswer(this.database, owner, request);
      if (kept === undefined && isNotFound(error)) throw error;
      return kept;
    }
  }

  /** Throws not-found, concurrent-modification, or `inUse` while other rows refer to this one. */
  async delete(
    caller: Caller,
    id: string,
    expected: ExpectedVersions,
    inUse?: () => ProblemError,
  ): Promise<void> {
    const scope = scopeOf(caller);
    const { ownerId } = scope === 'every-owner' ? await this.locate(caller, id) : scope;
    const constraintErrors = inUse === undefined ? {} : { foreignKey: inUse };
    const [statement, values] =
      expected === undefined
        ? [this.table.delete, [ownerId, id]]
        : [this.table.deleteVersions, [ownerId, id, expected]];
    const [gone] = await this.database.write(caller, { ...statement, ...constraintErrors }, values);
    if (gone === undefined) await this.throwMissed(caller, id);
  }

  private async getOf(key: RowKey): Promise<StoredRow | undefined> {
    return this.database.isSpread ? this.readOne(key) : this.together.load(key);
  }

  private async readOne({ ownerId, id }: RowKey): Promise<StoredRow | undefined> {
    const [row] = await this.database.read<FoundRow>({ id: ownerId }, this.table.get, [ownerId, id]);
    return stored(id, row);
  }

  private async readEach(keys: readonly RowKey[]): Promise<(StoredRow | undefined)[]> {
    const [first, ...others] = keys;
    if (first !== undefined && others.length === 0) return [await this.readOne(first)];
    const owners = keys.map(({ ownerId }) => ownerId);
    const ids = keys.map(({ id }) => id);
    const isOfSeveral = others.some(({ ownerId }) => ownerId !== first?.ownerId);
    const account = first === undefined || isOfSeveral ? SEVERAL : { id: first.ownerId };
    try {
      const rows = await this.database.read<FoundRow>(account, this.table.getEach, [owners, ids]);
      return ids.map((id, index) => stored(id, rows[index]));
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      await this.database.lookForCitus(); // the tables have been distributed since the start
      if (!this.database.isSpread) throw error;
      return Promise.all(keys.map((key) => this.readOne(key)));
    }
  }

  private async getOfAnybody(caller: Caller, id: string): Promise<StoredRow | undefined> {
    const [row] = await this.database.read<FoundRow>(caller, this.table.getOfAnybody, [id]);
    return stored(id, row);
  }

  /** Why a write hit no row: not-found when it is gone, or the property that it names, else concurrent-modification. */
  async throwMissed(caller: Caller, id: string, property?: RowKey): Promise<never> {
    const scope = scopeOf(caller);
    const [statement, key, owner] =
      scope === 'every-owner'
        ? ([this.table.missedOfAnybody, [id], null] as const)
        : ([this.table.missed, [scope.ownerId, id], scope.ownerId] as const);
    const values = [...key, property?.ownerId ?? owner, property?.id ?? null];
    const [found] = await this.database.read<{ row: boolean; property: boolean }>(caller, statement, values);
    if (found?.row !== true) throw notFound(this.noun);
    throw found.property ? concurrentModification() : notFound('property');
  }
}

function stored(id: string, row: FoundRow | undefined): StoredRow | undefined {
  return row?.json == null ? undefined : { id, version: row.version, json: new JsonText(row.json) };
}

function isNotFound(error: unknown): boolean {
  return error instanceof ProblemError && error.slug === 'not-found';
}

/** Throws concurrent-modification unless the version is one of those expected. */
export function requireVersion(expected: ExpectedVersions, version: number): void {
  if (expected !== undefined && !expected.includes(version)) throw concurrentModification();
}
