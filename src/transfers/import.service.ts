import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database, type RunStatement } from '../database/database.js';
import { type AnswerOfMany, transactOnce } from '../database/idempotency-keys.js';
import { JsonText } from '../http/json/exact-json.js';
import { ProblemError } from '../http/problem/problem.js';
import type { ReceivedFile } from '../http/edge/file-bodies.js';
import type { IdempotentRequest } from '../http/edge/idempotency-key.js';
import { DRAW_TRANSACTION_IDS, INSERT_TRANSACTIONS } from '../transactions/transactions.writes.js';
import { HOLD_OWNER, HOLD_PROPERTIES } from './bulk.queries.js';
import { Duplicates } from './duplicates.js';
import { type ReadRows, readRows, type Row } from './file-rows.js';
import { Findings, listed } from './findings.js';
import type { ImportFinding } from './imports.response.js';
import { byOwner, propertiesOf } from './owners.js';
import type { ImportQuery } from './transfers.dto.js';

/** What one statement stores at most: rows, and octets of JSON. */
const CHUNK = { rows: 100, length: 64 * 1024 };

type RowsOfOwner = readonly [ownerId: string, rows: readonly Row[]];

/** Imports files of transactions. */
@Injectable()
export class ImportService {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'imports'>,
  ) {}

  /** All rows or none. Throws validation-failed for the columns, import-refused, and idempotency-key-reused. */
  async import(
    caller: Caller,
    file: ReceivedFile,
    query: ImportQuery,
    once?: IdempotentRequest,
  ): Promise<AnswerOfMany> {
    const read = await readRows(file, this.settings.imports.rowLimit, query);
    if (!query.dryRun)
      return transactOnce(
        this.database,
        caller,
        once,
        (run) => importAll(run, caller, read, query),
        'import',
      );
    const answer = await this.database.import(caller, (run) => importAll(run, caller, read, query));
    return { json: new JsonText(answer), replayed: false };
  }
}

/** Returns the answer. Throws import-refused, which undoes everything. */
async function importAll(
  run: RunStatement,
  caller: Caller,
  read: ReadRows,
  { dryRun, duplicates: rule }: ImportQuery,
): Promise<string> {
  const duplicates = new Duplicates();
  const { known, faults } = await lockRows(run, caller, read.rows, duplicates);
  const alike = duplicates.findings;
  const count = read.faults.count + faults.count;
  const counts = { rows: read.count, duplicates: alike.count, faults: count };
  const findings = listed(read.faults, faults, alike);
  if (count > 0 || (rule === 'refuse' && alike.count > 0)) throw importRefused(counts, findings);
  const wanted = known.map(
    ([ownerId, rows]) =>
      [ownerId, rule === 'skip' ? rows.filter((row) => !duplicates.has(row)) : rows] as const,
  );
  if (!dryRun) for (const [ownerId, rows] of wanted) await store(run, ownerId, rows);
  const created = wanted.reduce((sum, [, rows]) => sum + rows.length, 0);
  return JSON.stringify({ dryRun, rows: read.count, created, duplicates: alike.count, findings });
}

/** The rows whose properties exist; finds their duplicates. Locks keep both true until the transaction ends. */
async function lockRows(
  run: RunStatement,
  caller: Caller,
  rows: readonly Row[],
  duplicates: Duplicates,
): Promise<{ known: readonly RowsOfOwner[]; faults: Findings }> {
  const { groups, others } = await byOwner(run, caller, rows);
  const unknown = [...others];
  const known: RowsOfOwner[] = [];
  for (const [ownerId, all] of groups) {
    const found = await run<{ id: string }>(HOLD_PROPERTIES, [ownerId, propertiesOf(all)]);
    const ids = new Set(found.map(({ id }) => id));
    const own = all.filter(({ propertyId }) => ids.has(propertyId));
    unknown.push(...all.filter(({ propertyId }) => !ids.has(propertyId)));
    await run(HOLD_OWNER, [ownerId]);
    await duplicates.find(run, ownerId, own);
    known.push([ownerId, own]);
  }
  const faults = new Findings();
  for (const { line } of unknown.sort((one, other) => one.line - other.line))
    faults.add(line, 'propertyId', 'is not a property of yours');
  return { known, faults };
}

async function store(run: RunStatement, ownerId: string, rows: readonly Row[]): Promise<void> {
  for (const chunk of chunksOf(rows)) {
    const drawn = await run<{ id: string }>(DRAW_TRANSACTION_IDS, [chunk.length]);
    const records = chunk.map(({ record }, index) => `{"id":${drawn[index]?.id},${record.toString()}`);
    await run(INSERT_TRANSACTIONS, [ownerId, `[${records.join(',')}]`]);
    await nextTurn();
  }
}

function* chunksOf(rows: readonly Row[]): Generator<Row[], void> {
  let chunk: Row[] = [];
  let length = 0;
  for (const row of rows) {
    chunk.push(row);
    length += row.record.length;
    if (chunk.length < CHUNK.rows && length < CHUNK.length) continue;
    yield chunk;
    [chunk, length] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}

interface ImportCounts {
  readonly rows: number;
  readonly duplicates: number;
  readonly faults: number;
}

function importRefused(counts: ImportCounts, findings: readonly ImportFinding[]): ProblemError {
  const { rows, duplicates, faults } = counts;
  const remedy =
    faults > 0 ? 'see findings' : 'duplicates=skip leaves these rows out, duplicates=allow takes them';
  const found = [
    ...(faults > 0 ? [counted(faults, 'fault')] : []),
    ...(duplicates > 0 ? [counted(duplicates, 'duplicate')] : []),
  ].join(' and ');
  return new ProblemError(
    'import-refused',
    `The file has ${found} in ${counted(rows, 'row')}, and nothing of it was stored: ${remedy}.`,
    { members: { ...counts, findings } },
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
