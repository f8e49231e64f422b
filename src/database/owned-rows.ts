import DataLoader from 'dataloader';
import type pg from 'pg';
import type { Caller } from '../common/access/caller.js';
import { scopeOf } from '../common/access/owner-scope.js';
import { JsonText } from '../common/json/exact-json.js';
import { notFound, ProblemError } from '../common/problems/problem.js';
import type { IdempotentRequest } from '../http/idempotency-key.js';
import type { Database, RunStatement, Statement } from './database.js';
import { writeOnce, type WrittenRow } from './idempotency-keys.js';
import type { ByScope, OwnedTable } from './owned-table.js';
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

/** A USER, who is the owner, and the id. */
type RowKey = readonly [caller: Caller, id: string];

/** Both are null where several were looked for, and this one is missing. */
interface FoundRow {
  readonly version: number;
  readonly json: string | null;
}

/** Rows read by one statement; more make all wait for the last. */
const MOST_AT_ONCE = 16;

/** The rows of one table by their key: the common part of the services of properties and transactions. */
export abstract class OwnedRows<Request extends object> {
  /** Reads whose callers were looked up together share a statement. */
  private readonly together = new DataLoader((keys: readonly RowKey[]) => this.readEach(keys), {
    cache: false,
    maxBatchSize: MOST_AT_ONCE,
  });

  constructor(
    protected readonly database: Database,
    private readonly table: OwnedTable<Request>,
    private readonly noun: 'property' | 'transaction',
  ) {}

  /** Throws not-found. */
  async get(caller: Caller, id: string): Promise<StoredRow> {
    const row = await (scopeOf(caller) === 'every-owner'
      ? this.readOne<FoundRow>(caller, this.table.get, id)
      : this.together.load([caller, id]));
    if (row?.json == null) throw notFound(this.noun);
    return { id, version: row.version, json: new JsonText(row.json) };
  }

  /** Throws not-found. */
  async locate(caller: Caller, id: string): Promise<OwnerAndVersion> {
    const found = await this.find(caller, id);
    if (found === undefined) throw notFound(this.noun);
    return found;
  }

  async find(caller: Caller, id: string): Promise<OwnerAndVersion | undefined> {
    return this.readOne(caller, this.table.locate, id);
  }

  /**
   * Runs an INSERT of {@link OwnedTable.returning}; or, under a key that has been here before, returns what the first request
   * has stored. Throws idempotency-key-reused.
   */
  protected async insert(
    caller: Caller,
    ownerId: string,
    statement: Statement,
    values: unknown[],
    once?: IdempotentRequest,
  ): Promise<StoredRow> {
    const written = async (run: RunStatement): Promise<WrittenRow> => {
      const [row] = await run<WrittenRow>(statement, values);
      if (row === undefined) throw new Error('an INSERT of values returns its row or fails');
      return row;
    };
    const row = await (once === undefined
      ? written((...write) => this.database.write(caller, ...write))
      : writeOnce(this.database, caller, ownerId, once, written));
    return { ...row, json: new JsonText(row.json) };
  }

  /**
   * Runs an UPDATE of {@link OwnedTable.returning} of this version, if it is one of those expected. Throws not-found, also
   * for a property that it names, or concurrent-modification.
   */
  protected async replace(
    caller: Caller,
    id: string,
    version: number,
    expected: ExpectedVersions,
    statement: Statement,
    values: unknown[],
  ): Promise<StoredRow> {
    if (expected?.includes(version) === false) throw new ProblemError('concurrent-modification');
    const [row] = await this.database.write<WrittenRow>(caller, statement, values);
    if (row !== undefined) return { ...row, json: new JsonText(row.json) };
    const found = await this.locate(caller, id);
    throw found.version === version ? notFound('property') : new ProblemError('concurrent-modification');
  }

  /** Throws not-found, concurrent-modification, or resource-in-use while other rows refer to this one. */
  async delete(caller: Caller, id: string, expected: ExpectedVersions): Promise<void> {
    const scope = scopeOf(caller);
    const { ownerId } = scope === 'every-owner' ? await this.locate(caller, id) : scope;
    const [gone] = await this.database.write(caller, this.table.delete, [ownerId, id, expected ?? null]);
    if (gone !== undefined) return;
    await this.locate(caller, id);
    throw new ProblemError('concurrent-modification');
  }

  private async readEach(keys: readonly RowKey[]): Promise<(FoundRow | undefined)[]> {
    if (keys.length === 1 || this.database.isDistributed)
      return Promise.all(keys.map(([caller, id]) => this.readOne<FoundRow>(caller, this.table.get, id)));
    const [owners, ids] = [keys.map(([caller]) => caller.id), keys.map(([, id]) => id)];
    const account = new Set(owners).size === 1 ? { id: owners[0] ?? '' } : SEVERAL;
    return this.database.read<FoundRow>(account, this.table.getEach, [owners, ids]);
  }

  private async readOne<Row extends pg.QueryResultRow>(
    caller: Caller,
    { ofOwner, ofAnybody }: ByScope,
    id: string,
  ): Promise<Row | undefined> {
    const scope = scopeOf(caller);
    const [row] = await (scope === 'every-owner'
      ? this.database.read<Row>(caller, ofAnybody, [id])
      : this.database.read<Row>(caller, ofOwner, [scope.ownerId, id]));
    return row;
  }
}
