import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database, type RunStatement, type Statement } from '../database/database.js';
import { type AnswerOfMany, transactOnce } from '../database/idempotency-keys.js';
import { partsOf } from '../database/parts.js';
import { ProblemError } from '../http/problem/problem.js';
import type { UploadedFile } from '../http/edge/file-bodies.js';
import type { IdempotentRequest } from '../http/edge/idempotency-key.js';
import { DRAW_TRANSACTION_IDS, INSERT_TRANSACTIONS } from '../transactions/transactions.writes.js';
import { duplicatesOf } from './duplicates.js';
import { type ReadRows, readRows, type Row } from './file-rows.js';
import { type ImportFinding, MAX_FINDINGS } from './imports.response.js';
import { byOwner, propertiesOf } from './owners.js';
import type { ImportQuery } from './transfers.dto.js';
import { Uploads } from './uploads.js';

/** $1 owner, $2 the properties: those that are there, and will be until the transaction ends. */
const HOLD_PROPERTIES: Statement = {
  name: 'transfers.hold_properties',
  text: `SELECT p.id FROM properties p WHERE p.owner_id = $1 AND p.id = ANY ($2::bigint[]) ORDER BY p.id FOR KEY SHARE`,
};

/** $1 owner. One import of an owner comes after another, so that the second sees what the first has stored. */
const HOLD_OWNER: Statement = {
  name: 'transfers.hold_owner',
  text: 'SELECT o.owner_id FROM owner_totals o WHERE o.owner_id = $1 FOR NO KEY UPDATE',
};

/** The most that one statement stores: rows, and octets of JSON. */
const MOST_AT_ONCE = { items: 100, size: 64 * 1024 };

const UNOWNED = { field: 'propertyId', reason: 'must be the id of one of your properties' };
const FAULTY = 'Rows of the file have faults, and nothing was stored: see findings.';
const REPEATED =
  'Rows of the file repeat stored transactions, and nothing was stored: duplicates=skip leaves them out, duplicates=allow takes them.';

/** Imports files of transactions. */
@Injectable()
export class ImportService {
  constructor(
    private readonly database: Database,
    private readonly uploads: Uploads,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'imports'>,
  ) {}

  /** All rows or none. Throws validation-failed for the columns, import-refused, and idempotency-key-reused. */
  async import(
    caller: Caller,
    file: UploadedFile,
    query: ImportQuery,
    once?: IdempotentRequest,
  ): Promise<AnswerOfMany> {
    const { rowLimit } = this.settings.imports;
    return this.uploads.process(
      caller,
      file,
      (bytes) => readRows(file.type, bytes, rowLimit, query),
      (read) => {
        const work = (run: RunStatement): Promise<string> => importAll(run, caller, read, query);
        return transactOnce(this.database, caller, query.dryRun ? undefined : once, work);
      },
    );
  }
}

/** Returns the response. Throws import-refused, which undoes everything. */
async function importAll(
  run: RunStatement,
  caller: Caller,
  read: ReadRows,
  { dryRun, duplicates: rule }: ImportQuery,
): Promise<string> {
  const { groups, unknown, repeated } = await lockRows(run, caller, read.rows);
  const unowned = read.rows.filter((row) => unknown.has(row)).map(({ line }) => ({ line, ...UNOWNED }));
  const faults = [...read.findings, ...unowned];
  const duplicates = read.rows
    .filter((row) => repeated.has(row))
    .map((row) => ({
      line: row.line,
      field: null,
      reason: `is a duplicate of transaction ${repeated.get(row)}`,
    }));
  const counts = { rows: read.count, duplicates: repeated.size, faults: read.faults + unknown.size };
  if (counts.faults > 0 || (rule === 'refuse' && repeated.size > 0)) {
    const findings = first(rule === 'refuse' ? [...faults, ...duplicates] : faults);
    throw new ProblemError('import-refused', counts.faults > 0 ? FAULTY : REPEATED, {
      members: { ...counts, findings },
    });
  }
  let created = 0;
  for (const [ownerId, all] of groups) {
    const rows = rule === 'skip' ? all.filter((row) => !repeated.has(row)) : all;
    if (!dryRun) await store(run, ownerId, rows);
    created += rows.length;
  }
  return JSON.stringify({
    dryRun,
    rows: read.count,
    created,
    duplicates: repeated.size,
    findings: first(duplicates),
  });
}

function first(findings: readonly ImportFinding[]): ImportFinding[] {
  return findings.slice(0, MAX_FINDINGS).sort((one, other) => one.line - other.line);
}

interface LockedRows {
  readonly groups: readonly [ownerId: string, rows: readonly Row[]][];
  /** Rows of properties that the owner does not have. */
  readonly unknown: ReadonlySet<Row>;
  /** Duplicates, each with the stored transaction. */
  readonly repeated: ReadonlyMap<Row, string>;
}

/** Locks keep the properties, and the duplicates, until the transaction ends. */
async function lockRows(run: RunStatement, caller: Caller, rows: readonly Row[]): Promise<LockedRows> {
  const unknown = new Set(rows);
  const repeated = new Map<Row, string>();
  const groups: [string, Row[]][] = [];
  for (const [ownerId, all] of await byOwner(run, caller, rows)) {
    const held = await run<{ id: string }>(HOLD_PROPERTIES, [ownerId, propertiesOf(all)]);
    const ids = new Set(held.map(({ id }) => id));
    const own = all.filter(({ propertyId }) => ids.has(propertyId));
    await run(HOLD_OWNER, [ownerId]);
    for (const [row, id] of await duplicatesOf(run, ownerId, own)) repeated.set(row, id);
    for (const row of own) unknown.delete(row);
    groups.push([ownerId, own]);
  }
  return { groups, unknown, repeated };
}

async function store(run: RunStatement, ownerId: string, rows: readonly Row[]): Promise<void> {
  for (const part of partsOf(rows, ({ record }) => record.length, MOST_AT_ONCE)) {
    const drawn = await run<{ id: string }>(DRAW_TRANSACTION_IDS, [part.length]);
    const records = part.map(({ record }, index) => `{"id":${drawn[index]?.id},${record.toString()}`);
    await run(INSERT_TRANSACTIONS, [ownerId, `[${records.join(',')}]`]);
    await nextTurn();
  }
}
