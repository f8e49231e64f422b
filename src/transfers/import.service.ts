import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../common/access/caller.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database, type RunStatement, type Statement } from '../database/database.js';
import { type BulkResponse, transactOnce } from '../database/idempotency-keys.js';
import { chunksOf } from '../database/chunks.js';
import { ProblemError } from '../common/problems/problem.js';
import type { UploadedFile } from '../http/uploaded-file.js';
import type { IdempotentRequest } from '../database/idempotency-keys.js';
import type { TransactionRequest } from '../transactions/dto/transaction.request.js';
import { NO_OWNER, stored, TransactionsRepository } from '../transactions/transactions.repository.js';
import { duplicatesOf, type Row } from './duplicates.js';
import { type ReadRows, readFileRows } from './file-rows.js';
import { type ImportFinding, MAX_FINDINGS } from './dto/imports.response.js';
import type { ImportQuery } from './dto/transfers.request.js';
import { Uploads } from './uploads.js';

/** $1 properties. For an ADMIN, who files for their owners. */
const OWNERS_OF_PROPERTIES: Statement = {
  name: 'transfers.owners_of_properties',
  text: 'SELECT p.id, p.owner_id FROM properties p WHERE p.id = ANY ($1::bigint[]) ORDER BY p.owner_id',
};

/** $1 owner, $2 properties. Locks those that exist: none is deleted before the transaction ends. */
const HOLD_PROPERTIES: Statement = {
  name: 'transfers.hold_properties',
  text: `SELECT p.id FROM properties p WHERE p.owner_id = $1 AND p.id = ANY ($2::bigint[]) ORDER BY p.id FOR KEY SHARE`,
};

/** $1 owner. Imports of one owner run one after another, so that each sees the rows of the one before. */
const HOLD_OWNER: Statement = {
  name: 'transfers.hold_owner',
  text: 'SELECT o.owner_id FROM owner_totals o WHERE o.owner_id = $1 FOR NO KEY UPDATE',
};

/** Most rows, and octets of JSON, of one statement. */
const MOST_AT_ONCE = { items: 100, size: 64 * 1024 };

const UNOWNED = { field: 'propertyId', reason: 'must be the id of one of your properties' };
const FAULTY = 'Rows of the file have faults, and nothing was stored: see findings.';
const REPEATED =
  'Rows of the file repeat stored transactions, and nothing was stored: duplicates=skip leaves them out, duplicates=allow takes them.';

/** Records many transactions at once: those of a file, or a batch, which the response returns. */
@Injectable()
export class ImportService {
  constructor(
    private readonly database: Database,
    private readonly uploads: Uploads,
    private readonly transactions: TransactionsRepository,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'imports'>,
  ) {}

  /** All or none. Throws not-found when a property is not the caller's, and idempotency-key-reused. */
  async batch(
    caller: Caller,
    requests: readonly TransactionRequest[],
    once?: IdempotentRequest,
  ): Promise<BulkResponse> {
    return transactOnce(this.database, caller, once, async (run) => {
      const ids = await this.transactions.drawIds(run, requests.length);
      const rows = requests.map((request, index) => {
        const record = Object.assign(stored(request), { id: ids[index] ?? '' });
        return { propertyId: request.propertyId, record };
      });
      const texts = new Map<string, string>();
      for (const [ownerId, own] of await byOwner(run, caller, rows)) {
        const records = JSON.stringify(own.map(({ record }) => record));
        for (const { id, json } of await this.transactions.insertReturned(run, ownerId, records))
          texts.set(id, json);
      }
      return `{"transactions":[${rows.map(({ record }) => texts.get(record.id)).join(',')}]}`;
    });
  }

  /** All rows or none. Throws validation-failed for the columns, import-refused, and idempotency-key-reused. */
  async import(
    caller: Caller,
    file: UploadedFile,
    query: ImportQuery,
    once?: IdempotentRequest,
  ): Promise<BulkResponse> {
    const { rowLimit } = this.settings.imports;
    return this.uploads.process(
      caller,
      file,
      (bytes) => readFileRows(file.type, bytes, rowLimit, query),
      (read) => {
        const work = (run: RunStatement): Promise<string> => this.importAll(run, caller, read, query);
        return transactOnce(this.database, caller, query.dryRun ? undefined : once, work);
      },
    );
  }

  /** Returns the response. Throws import-refused, which undoes everything. */
  private async importAll(
    run: RunStatement,
    caller: Caller,
    read: ReadRows,
    { dryRun, duplicates: rule, by, lines: areNamed }: ImportQuery,
  ): Promise<string> {
    const groups: [ownerId: string, rows: Row[]][] = [];
    const repeated = new Map<Row, string>();
    for (const [ownerId, rows] of await byOwner(run, caller, read.rows)) {
      const own = await heldRows(run, ownerId, rows);
      groups.push([ownerId, own]);
      for (const [row, id] of await duplicatesOf(run, ownerId, own, by)) repeated.set(row, id);
    }
    const owned = new Set(groups.flatMap(([, rows]) => rows));
    const duplicates = [...repeated].map(([{ line }, id]) => {
      return { line, field: null, reason: `is a duplicate of transaction ${id}` };
    });
    duplicates.sort(byLine);
    const unowned = read.rows.filter((row) => !owned.has(row)).map(({ line }) => ({ line, ...UNOWNED }));
    const faults = read.faults + unowned.length;
    if (faults > 0 || (rule === 'refuse' && repeated.size > 0)) {
      const findings = first([...read.findings, ...unowned, ...(rule === 'refuse' ? duplicates : [])]);
      const members = { rows: read.count, duplicates: repeated.size, faults, findings };
      throw new ProblemError('import-refused', faults > 0 ? FAULTY : REPEATED, { members });
    }
    const created = new Map<Row, string | null>();
    for (const [ownerId, rows] of groups) {
      const stored = rule === 'skip' ? rows.filter((row) => !repeated.has(row)) : rows;
      const ids = dryRun ? [] : await this.store(run, ownerId, stored);
      for (const [index, row] of stored.entries()) created.set(row, ids[index] ?? null);
    }
    const counts = { rows: read.count, created: created.size, duplicates: repeated.size };
    const response = JSON.stringify({ dryRun, ...counts, findings: first(duplicates) });
    if (!areNamed) return response;
    const lines = read.rows.map((row) => {
      const id = created.has(row) ? created.get(row) : repeated.get(row);
      return `{"line":${row.line},"id":${id},"created":${created.has(row)}}`;
    });
    return `${response.slice(0, -1)},"lines":[${lines.join(',')}]}`;
  }

  /** Returns the ids of the new transactions, in the order of the rows. */
  private async store(run: RunStatement, ownerId: string, rows: readonly Row[]): Promise<string[]> {
    const ids: string[] = [];
    for (const part of chunksOf(rows, ({ record }) => record.length, MOST_AT_ONCE)) {
      const drawn = await this.transactions.drawIds(run, part.length);
      const records = part.map(({ record }, index) => `{"id":${drawn[index]},${record.toString()}`);
      await this.transactions.insertMany(run, ownerId, `[${records.join(',')}]`);
      ids.push(...drawn);
      await nextTurn();
    }
    return ids;
  }
}

function byLine(one: ImportFinding, other: ImportFinding): number {
  return one.line - other.line;
}

function first(findings: readonly ImportFinding[]): ImportFinding[] {
  return findings.slice(0, MAX_FINDINGS).sort(byLine);
}

/**
 * Rows by the owner under whom they are written: the caller or, for an ADMIN, the owner of each property. Sorted by owner,
 * so that two writes take their locks in the same order.
 */
async function byOwner<T extends { readonly propertyId: string }>(
  run: RunStatement,
  caller: Caller,
  rows: readonly T[],
): Promise<[ownerId: string, rows: readonly T[]][]> {
  if (caller.role !== 'ADMIN') return rows.length > 0 ? [[caller.id, rows]] : [];
  const found = await run<{ id: string; owner_id: string }>(OWNERS_OF_PROPERTIES, [propertiesOf(rows)]);
  const owners = new Map(found.map(({ id, owner_id }) => [id, owner_id]));
  const groups = new Map<string, T[]>([NO_OWNER, ...owners.values()].map((ownerId) => [ownerId, []]));
  for (const row of rows) groups.get(owners.get(row.propertyId) ?? NO_OWNER)?.push(row);
  return [...groups].filter(([, group]) => group.length > 0);
}

function propertiesOf(rows: readonly { readonly propertyId: string }[]): string[] {
  return [...new Set(rows.map(({ propertyId }) => propertyId))];
}

/** Rows whose property is the owner's. Locks keep the properties, and all duplicates, until the transaction ends. */
async function heldRows(run: RunStatement, ownerId: string, rows: readonly Row[]): Promise<Row[]> {
  const held = await run<{ id: string }>(HOLD_PROPERTIES, [ownerId, propertiesOf(rows)]);
  await run(HOLD_OWNER, [ownerId]);
  const ids = new Set(held.map(({ id }) => id));
  return rows.filter(({ propertyId }) => ids.has(propertyId));
}
