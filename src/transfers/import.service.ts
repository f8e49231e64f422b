import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/access/caller.js';
import { Settings } from '../config/env.js';
import { Database, type RunStatement, type Statement } from '../database/database.js';
import { type BulkResponse, type IdempotentRequest, transactOnce } from '../database/idempotency-keys.js';
import { chunksOf } from '../database/lists/list-lines.js';
import { StaleVersion } from '../database/errors.js';
import { ProblemError } from '../common/problems/problem.js';
import type { UploadedFile } from '../http/uploaded-file.js';
import type { TransactionRequest } from '../transactions/dto/transaction.request.js';
import { stored, TransactionsRepository } from '../transactions/transactions.repository.js';
import type { FoundRow } from '../transactions/update-many.js';
import { duplicatesOf, type Row } from './duplicates.js';
import { type ReadRows, readFileRows } from './file-rows.js';
import { type ImportFinding, MAX_CHANGES, MAX_FINDINGS } from './dto/imports.response.js';
import type { ImportQuery } from './dto/transfers.request.js';
import { byOwner, holdProperties, placed } from './row-owners.js';
import { Uploads } from './uploads.js';

/** $1 owner. Imports of one owner run one after another, so that each sees the rows of the one before. */
const HOLD_OWNER: Statement = {
  name: 'transfers.hold_owner',
  text: 'SELECT o.owner_id FROM owner_totals o WHERE o.owner_id = $1 FOR NO KEY UPDATE',
};

/** Most rows, and octets of JSON, of one statement. */
const MOST_AT_ONCE = { items: 100, size: 64 * 1024 };

const UNKNOWN = 'must be the id of one of your transactions';
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
    private readonly settings: Settings,
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
      for (const [ownerId, own] of await byOwner(run, caller, rows, 'properties', (row) => row.propertyId)) {
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
        const work = (run: RunStatement): Promise<string> =>
          query.mode === 'update'
            ? this.updateAll(run, caller, read, query)
            : this.createAll(run, caller, read, query);
        return transactOnce(this.database, caller, query.dryRun ? undefined : once, work);
      },
    );
  }

  /** Returns the response. Throws import-refused, which undoes everything. */
  private async createAll(
    run: RunStatement,
    caller: Caller,
    read: ReadRows,
    { dryRun, duplicates: rule, by, lines: areNamed }: ImportQuery,
  ): Promise<string> {
    const found: ImportFinding[] = [];
    const rows = await placed(run, caller, read.rows, found);
    const groups = await byOwner(run, caller, rows, 'properties', (row) => row.propertyId);
    const repeated = new Map<Row, string>();
    for (const [ownerId, own] of groups) {
      found.push(...(await holdProperties(run, ownerId, own)));
      await run(HOLD_OWNER, [ownerId]);
      for (const [row, id] of await duplicatesOf(run, ownerId, own, by)) repeated.set(row, id);
    }
    const duplicates = [...repeated].map(([{ line }, id]) => {
      return { line, field: null, reason: `is a duplicate of transaction ${id}` };
    });
    const isRefused = rule === 'refuse' && repeated.size > 0;
    if (isRefused || read.faults + found.length > 0)
      throw refusal(read, found, repeated.size, isRefused ? duplicates : []);
    const created = new Map<Row, string | null>();
    for (const [ownerId, own] of groups) {
      const stored = rule === 'skip' ? own.filter((row) => !repeated.has(row)) : own;
      const ids = dryRun ? [] : await this.store(run, ownerId, stored);
      for (const [index, row] of stored.entries()) created.set(row, ids[index] ?? null);
    }
    const counts = { rows: read.count, created: created.size, updated: 0, duplicates: repeated.size };
    const lines = rows.map((row) => {
      const id = created.has(row) ? created.get(row) : repeated.get(row);
      return `{"line":${row.line},"id":${id},"created":${created.has(row)}}`;
    });
    return report({ dryRun, ...counts, findings: listed(duplicates) }, areNamed ? lines : undefined);
  }

  /** As {@link createAll}. Throws that a row is stale when it was written meanwhile. */
  private async updateAll(
    run: RunStatement,
    caller: Caller,
    read: ReadRows,
    { dryRun, lines: areNamed }: ImportQuery,
  ): Promise<string> {
    const found: ImportFinding[] = [];
    const changes: object[] = [];
    let updated = 0;
    const rows = await placed(run, caller, read.rows, found);
    found.push(...repeatedIn(rows));
    for (const [ownerId, own] of await byOwner(run, caller, rows, 'transactions', (row) => row.id)) {
      found.push(...(await holdProperties(run, ownerId, own)));
      // Two imports at once lock rows in the same order.
      const inOrder = dryRun ? own : own.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      for (const part of chunksOf(inOrder, ({ record }) => record.length, MOST_AT_ONCE)) {
        const writes = !dryRun && read.faults + found.length === 0;
        const values = [ownerId, `[${part.map((row) => jsonOf(row)).join(',')}]`, writes];
        const present = await run<FoundRow>(this.transactions.updateMany, values);
        const byId = new Map(present.map((row) => [row.id, row]));
        for (const { line, id, version } of part) {
          const row = byId.get(id);
          if (row === undefined) found.push({ line, field: 'id', reason: UNKNOWN });
          else if (row.version !== version)
            found.push({ line, field: 'version', reason: `is ${row.version} by now` });
          else if (row.isChanged) updated++;
          if (row?.isMissed === true) throw new StaleVersion();
          for (const change of row?.changes ?? [])
            if (changes.length < MAX_CHANGES) changes.push({ line, ...change });
        }
        await nextTurn();
      }
    }
    if (read.faults + found.length > 0) throw refusal(read, found);
    const counts = { dryRun, rows: read.count, created: 0, updated, duplicates: 0, findings: [] };
    const lines = rows.map(({ line, id }) => `{"line":${line},"id":${id},"created":false}`);
    return report(dryRun ? { ...counts, changes } : counts, areNamed ? lines : undefined);
  }

  /** Returns the ids of the new transactions, in the order of the rows. */
  private async store(run: RunStatement, ownerId: string, rows: readonly Row[]): Promise<string[]> {
    const ids: string[] = [];
    for (const part of chunksOf(rows, ({ record }) => record.length, MOST_AT_ONCE)) {
      const drawn = await this.transactions.drawIds(run, part.length);
      const records = part.map((row, index) => jsonOf(row, `"id":${drawn[index]},`));
      await this.transactions.insertMany(run, ownerId, `[${records.join(',')}]`);
      ids.push(...drawn);
      await nextTurn();
    }
    return ids;
  }
}

/** JSON of a row, its property, and these members. */
function jsonOf({ propertyId, record }: Row, members = ''): string {
  return `{${members}${propertyId === undefined ? '' : `"propertyId":${propertyId},`}${record.toString()}`;
}

/** The findings of rows whose transaction has a row before. */
function repeatedIn(rows: readonly Row[]): ImportFinding[] {
  const lines = new Map<string, number>();
  return rows.flatMap(({ line, id }) => {
    const before = lines.get(id);
    if (before === undefined) lines.set(id, line);
    return before === undefined ? [] : { line, field: 'id', reason: `is that of line ${before}, too` };
  });
}

/** The first findings by line. */
function listed(findings: readonly ImportFinding[]): ImportFinding[] {
  return findings.toSorted((one, other) => one.line - other.line).slice(0, MAX_FINDINGS);
}

/** Rows of the file have faults, of which some were found in the database, or are refused as duplicates. */
function refusal(
  read: ReadRows,
  found: readonly ImportFinding[],
  duplicates = 0,
  repeated: readonly ImportFinding[] = [],
): ProblemError {
  const faults = read.faults + found.length;
  const findings = listed([...read.findings, ...found, ...repeated]);
  const members = { rows: read.count, duplicates, faults, findings };
  return new ProblemError('import-refused', faults > 0 ? FAULTY : REPEATED, { members });
}

/** ImportResponse. The ids of lines may have more digits than JavaScript's numbers. */
function report(counts: object, lines: readonly string[] | undefined): string {
  const response = JSON.stringify(counts);
  return lines === undefined ? response : `${response.slice(0, -1)},"lines":[${lines.join(',')}]}`;
}
