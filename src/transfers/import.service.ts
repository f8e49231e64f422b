import { Injectable } from '@nestjs/common';
import type { Caller } from '../common/access/caller.js';
import { nextTurn } from '../common/concurrency/turns.js';
import type { Release } from '../common/concurrency/places.js';
import { Settings } from '../config/env.js';
import { Database, type RunStatement, type Statement } from '../database/database.js';
import { type IdempotentRequest, transactOnce } from '../database/idempotency-keys.js';
import { Shares } from '../database/shares.js';
import { chunksOf } from '../database/lists/list-lines.js';
import { StaleVersion } from '../database/errors.js';
import { Fault } from '../common/validation/field.js';
import { notFound, ProblemError } from '../common/problems/problem.js';
import { ClientMemory } from '../http/client-memory.js';
import type { UploadedFile } from '../http/uploaded-file.js';
import type { TransactionRequest } from '../transactions/dto/transaction.request.js';
import { stored, TransactionsRepository } from '../transactions/transactions.repository.js';
import type { FoundRow } from '../transactions/update-many.js';
import { duplicatesOf, type Row } from './duplicates.js';
import { type ReadRows, readFileRows } from './file-rows.js';
import { Findings } from './findings.js';
import { MAX_CHANGES } from './dto/imports.response.js';
import type { ImportQuery } from './dto/transfers.request.js';
import { byOwner, holdProperties, placed } from './row-owners.js';

/** $1 owner. Imports of one owner run one after another, so that each sees the rows of the one before. */
const HOLD_OWNER: Statement = {
  name: 'transfers.hold_owner',
  text: 'SELECT o.owner_id FROM owner_totals o WHERE o.owner_id = $1 FOR NO KEY UPDATE',
};

/** Most rows, and octets of JSON, of one statement. */
const MOST_AT_ONCE = { items: 100, size: 64 * 1024 };

const STEP = 256 * 1024; // bytes of a file for which room is made at once

const UNKNOWN = new Fault([['id', 'must be the id of one of your transactions']]);
const FAULTY = 'Rows of the file have faults, and nothing was stored: see findings.';
const REPEATED =
  'Rows of the file repeat stored transactions, and nothing was stored: duplicates=skip leaves them out, duplicates=allow takes them.';

/** Records many transactions at once: those of a file, or a batch, which the response returns. */
@Injectable()
export class ImportService {
  constructor(
    private readonly database: Database,
    private readonly shares: Shares,
    private readonly memory: ClientMemory,
    private readonly transactions: TransactionsRepository,
    private readonly settings: Settings,
  ) {}

  /** All or none. Throws not-found when a property is not the caller's, and idempotency-key-reused. */
  async batch(caller: Caller, requests: readonly TransactionRequest[], once?: IdempotentRequest) {
    return transactOnce(this.database, caller, once, async (run) => {
      const ids = await this.transactions.drawIds(run, requests.length);
      const rows = requests.map((request, line) => Object.assign(stored(request), { id: ids[line], line }));
      const groups = await byOwner(run, caller, rows, 'properties', (row) => row.propertyId);
      const unknown: string[] = [];
      const found = { add: (line: number) => void unknown.push(`transactions[${line}].propertyId`) };
      for (const [ownerId, own] of groups) await holdProperties(run, ownerId, own, found);
      if (unknown.length > 0) throw notFound(`property: ${unknown.join(', ')}`);
      const texts = new Map<string, string>();
      for (const [ownerId, own] of groups) {
        const values = { ownerId, rows: JSON.stringify(own) };
        const written = await run<{ id: string; json: string }>(this.transactions.insertReturned, values);
        for (const { id, json } of written) texts.set(id, json);
      }
      return `{"transactions":[${ids.map((id) => texts.get(id)).join(',')}]}`;
    });
  }

  /**
   * All rows or none. Reads a file as it arrives, and only then waits for its turn: a slow client delays nobody. Throws
   * validation-failed for the columns, import-refused, idempotency-key-reused, too-many-requests, and service-unavailable.
   */
  async import(caller: Caller, file: UploadedFile, query: ImportQuery, once?: IdempotentRequest) {
    const room: Release[] = [];
    let leave: Release = () => undefined;
    try {
      leave = await this.shares.uploads.take(caller);
      const bytes = file.read(async (length) => {
        while (length > room.length * STEP) room.push(await this.memory.hold(caller, STEP));
      });
      const read = await readFileRows(file.type, bytes, this.settings.imports.rowLimit, query);
      const end = await this.shares.imports.take(caller);
      const work = (run: RunStatement): Promise<string> => this[query.mode](run, caller, read, query);
      return await transactOnce(this.database, caller, query.dryRun ? undefined : once, work).finally(end);
    } finally {
      for (const release of room) release();
      void file.discard().then(leave);
    }
  }

  /** Returns the response. Throws import-refused, which undoes everything. */
  private async create(run: RunStatement, caller: Caller, read: ReadRows, query: ImportQuery) {
    const { dryRun, duplicates: rule } = query;
    const found = Object.assign(new Findings(), read.findings);
    const rows = await placed(run, caller, read.rows, found);
    const groups = await byOwner(run, caller, rows, 'properties', (row) => row.propertyId);
    const repeated = new Map<Row, string>();
    for (const [ownerId, own] of groups) {
      await holdProperties(run, ownerId, own, found);
      await run(HOLD_OWNER, [ownerId]);
      for (const [row, id] of await duplicatesOf(run, ownerId, own, query.by)) repeated.set(row, id);
    }
    const faults = found.count;
    const isRefused = rule === 'refuse' && repeated.size > 0;
    if (isRefused || faults === 0)
      for (const [{ line }, id] of repeated) found.add(line, Fault.of(`is a duplicate of transaction ${id}`));
    if (isRefused || faults > 0) throw refusal(read.count, repeated.size, faults, found);
    const isNew = (row: Row): boolean => rule !== 'skip' || !repeated.has(row);
    const ids = new Map<Row, string | null>(repeated);
    for (const [ownerId, own] of groups) {
      const stored = own.filter(isNew);
      const drawn = dryRun ? [] : await this.store(run, ownerId, stored);
      for (const [index, row] of stored.entries()) ids.set(row, drawn[index] ?? null);
    }
    const created = rows.filter(isNew).length;
    const counts = { rows: read.count, created, updated: 0, duplicates: repeated.size, findings: found.told };
    return report(query, counts, () => rows.map((row) => [row.line, ids.get(row), isNew(row)]));
  }

  /** As {@link create}. Throws that a row is stale when it was written meanwhile. */
  private async update(run: RunStatement, caller: Caller, read: ReadRows, query: ImportQuery) {
    const { dryRun } = query;
    const found = Object.assign(new Findings(), read.findings);
    const changes: object[] = [];
    let updated = 0;
    const rows = await placed(run, caller, read.rows, found);
    addRepeated(rows, found);
    for (const [ownerId, own] of await byOwner(run, caller, rows, 'transactions', (row) => row.id)) {
      await holdProperties(run, ownerId, own, found);
      // Two imports at once lock rows in the same order.
      const inOrder = dryRun ? own : own.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      for (const part of chunksOf(inOrder, ({ record }) => record.length, MOST_AT_ONCE)) {
        const records = `[${part.map((row) => jsonOf(row)).join(',')}]`;
        const values = [ownerId, records, !dryRun && found.count === 0];
        const present = await run<FoundRow>(this.transactions.updateMany, values);
        const byId = new Map(present.map((row) => [row.id, row]));
        for (const { line, id, version } of part) {
          const row = byId.get(id);
          if (row === undefined) found.add(line, UNKNOWN);
          else if (row.version !== version)
            found.add(line, new Fault([['version', `is now ${row.version}`]]));
          else if (row.isChanged) updated++;
          if (row?.isMissed === true) throw new StaleVersion();
          for (const change of row?.changes ?? [])
            if (changes.length < MAX_CHANGES) changes.push({ line, ...change });
        }
        await nextTurn();
      }
    }
    if (found.count > 0) throw refusal(read.count, 0, found.count, found);
    const counts = { rows: read.count, created: 0, updated, duplicates: 0, findings: [] };
    return report(query, dryRun ? { ...counts, changes } : counts, () =>
      rows.map(({ line, id }) => [line, id, false]),
    );
  }

  /** Returns the ids of the new transactions, in the order of the rows. */
  private async store(run: RunStatement, ownerId: string, rows: readonly Row[]): Promise<string[]> {
    const ids: string[] = [];
    for (const part of chunksOf(rows, ({ record }) => record.length, MOST_AT_ONCE)) {
      const drawn = await this.transactions.drawIds(run, part.length);
      const records = part.map((row, index) => jsonOf(row, `"id":${drawn[index]},`));
      await run(this.transactions.insertMany, { ownerId, rows: `[${records.join(',')}]` });
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

/** Adds the findings of rows whose transaction has a row before. */
function addRepeated(rows: readonly Row[], findings: Findings): void {
  const lines = new Map<string, number>();
  for (const { line, id } of rows) {
    const before = lines.get(id);
    if (before === undefined) lines.set(id, line);
    else findings.add(line, new Fault([['id', `repeats the id of line ${before}`]]));
  }
}

/** Rows of the file have faults, of which some were found in the database, or are refused as duplicates. */
function refusal(rows: number, duplicates: number, faults: number, { told: findings }: Findings) {
  const members = { rows, duplicates, faults, findings };
  return new ProblemError('import-refused', faults > 0 ? FAULTY : REPEATED, { members });
}

type Line = readonly [line: number, id: string | null | undefined, created: boolean];

/** ImportResponse. The ids of lines may have more digits than JavaScript's numbers. */
function report({ dryRun, lines }: ImportQuery, members: object, linesOf: () => Line[]): string {
  const response = JSON.stringify({ dryRun, ...members });
  if (!lines) return response;
  const texts = linesOf().map(([line, id, created]) => `{"line":${line},"id":${id},"created":${created}}`);
  return `${response.slice(0, -1)},"lines":[${texts.join(',')}]}`;
}
