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
import { DRAW_TRANSACTION_IDS, INSERT_TRANSACTIONS } from '../transactions/transactions.queries.js';
import { duplicatesOf } from './duplicates.js';
import { type ReadRows, readRows, type Row } from './file-rows.js';
import { type Finding, MAX_FINDINGS } from './imports.response.js';
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
  const groups: OwnRows[] = [];
  for (const [ownerId, rows] of await byOwner(run, caller, read.rows))
    groups.push(await lockRows(run, ownerId, rows));
  const owned = new Set(groups.flatMap(({ rows }) => rows));
  const repeated = new Map(groups.flatMap((group) => group.repeated));
  const duplicates = read.rows.flatMap((row): Finding[] => {
    const reason = `is a duplicate of transaction ${repeated.get(row)}`;
    return repeated.has(row) ? [{ line: row.line, field: null, reason }] : [];
  });
  const unowned = read.rows.filter((row) => !owned.has(row)).map(({ line }) => ({ line, ...UNOWNED }));
  const faults = read.faults + unowned.length;
  if (faults > 0 || (rule === 'refuse' && repeated.size > 0)) {
    const findings = first([...read.findings, ...unowned, ...(rule === 'refuse' ? duplicates : [])]);
    const members = { rows: read.count, duplicates: repeated.size, faults, findings };
    throw new ProblemError('import-refused', faults > 0 ? FAULTY : REPEATED, { members });
  }
  let created = 0;
  for (const { ownerId, rows } of groups) {
    const stored = rule === 'skip' ? rows.filter((row) => !repeated.has(row)) : rows;
    if (!dryRun) await store(run, ownerId, stored);
    created += stored.length;
  }
  const counts = { rows: read.count, created, duplicates: repeated.size };
  return JSON.stringify({ dryRun, ...counts, findings: first(duplicates) });
}

function first(findings: readonly Finding[]): Finding[] {
  return findings.slice(0, MAX_FINDINGS).sort((one, other) => one.line - other.line);
}

/** Rows of an owner's properties, and those of them that are stored already, each with the stored transaction. */
interface OwnRows {
  readonly ownerId: string;
  readonly rows: readonly Row[];
  readonly repeated: readonly [row: Row, id: string][];
}

/** Locks keep the properties, and the duplicates, until the transaction ends. */
async function lockRows(run: RunStatement, ownerId: string, all: readonly Row[]): Promise<OwnRows> {
  const held = await run<{ id: string }>(HOLD_PROPERTIES, [ownerId, propertiesOf(all)]);
  const ids = new Set(held.map(({ id }) => id));
  const rows = all.filter(({ propertyId }) => ids.has(propertyId));
  await run(HOLD_OWNER, [ownerId]);
  return { ownerId, rows, repeated: await duplicatesOf(run, ownerId, rows) };
}

async function store(run: RunStatement, ownerId: string, rows: readonly Row[]): Promise<void> {
  for (const part of partsOf(rows, ({ record }) => record.length, MOST_AT_ONCE)) {
    const drawn = await run<{ id: string }>(DRAW_TRANSACTION_IDS, [part.length]);
    const records = part.map(({ record }, index) => `{"id":${drawn[index]?.id},${record.toString()}`);
    await run(INSERT_TRANSACTIONS, [ownerId, `[${records.join(',')}]`]);
    await nextTurn();
  }
}
