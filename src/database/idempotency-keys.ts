import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { JsonText } from '../http/json/exact-json.js';
import { concurrentModification, idempotencyKeyReused } from '../http/problem/problem.js';
import type { IdempotentRequest } from '../http/edge/idempotency-key.js';
import { type BoundStatement, Database, type RunStatement, type Statement } from './database.js';
import { type Account, NOBODY } from './shares.js';

/** Under whose rows an answer is kept, and for whom: an ADMIN writes among those of others. */
export interface KeyOwner {
  readonly ownerId: string;
  readonly callerId: string;
}

/** Another request with this key was there first: the whole statement is undone. */
export class KeyTaken extends Error {}

/** $1 owner, $2 caller, $3 key, $4 fingerprint, then the row that the same transaction has written. */
const KEEP_ROW: Statement = {
  name: 'idempotency_keys.keep_row',
  text: `INSERT INTO idempotency_keys (owner_id, caller_id, key, fingerprint, resource_id, version, answer)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
  uniqueKey: () => new KeyTaken(),
};

export interface WrittenRow {
  readonly id: string;
  readonly version: number;
  readonly json: string;
}

/**
 * Runs a statement that writes one row, and keeps the response in the same transaction; undefined when it hit no row.
 * Two statements, because Citus would send what one of both has written to every server. Throws {@link KeyTaken}.
 */
export async function writeAndKeep(
  database: Database,
  caller: Account,
  { statement, values }: BoundStatement,
  ownerId: string,
  { key, fingerprint }: IdempotentRequest,
): Promise<WrittenRow | undefined> {
  return database.transaction(caller, async (run) => {
    const [row] = await run<WrittenRow>(statement, values);
    if (row !== undefined)
      await run(KEEP_ROW, [ownerId, caller.id, key, fingerprint, row.id, row.version, row.json]);
    return row;
  });
}

/** For an answer that comes only at the end of a transaction: whoever brings the same key waits, and does nothing twice. */
const CLAIM: Statement = {
  name: 'idempotency_keys.claim',
  text: `INSERT INTO idempotency_keys (owner_id, caller_id, key, fingerprint, answer) VALUES ($1, $2, $3, $4, '')`,
  uniqueKey: () => new KeyTaken(),
};

const KEEP: Statement = {
  name: 'idempotency_keys.keep',
  text: `UPDATE idempotency_keys k SET answer = $4 WHERE k.owner_id = $1 AND k.caller_id = $2 AND k.key = $3`,
};

/** The answer to a write of many rows, as JSON. */
export interface AnswerOfMany {
  readonly json: JsonText;
  readonly replayed: boolean;
}

/**
 * All of the work's statements or none; or, under a key that has been here before, nothing but the first answer. The key
 * is kept among the caller's own rows. Throws idempotency-key-reused.
 */
export async function transactOnce(
  database: Database,
  caller: Account,
  once: IdempotentRequest | undefined,
  work: (run: RunStatement) => Promise<string>,
): Promise<AnswerOfMany> {
  if (once === undefined)
    return { json: new JsonText(await database.bulkWrite(caller, work)), replayed: false };
  const owner = { ownerId: caller.id, callerId: caller.id };
  try {
    const answer = await database.bulkWrite(caller, async (run) => {
      await run(CLAIM, [caller.id, caller.id, once.key, once.fingerprint]);
      const json = await work(run);
      await run(KEEP, [caller.id, caller.id, once.key, json]);
      return json;
    });
    return { json: new JsonText(answer), replayed: false };
  } catch (error) {
    const kept = error instanceof KeyTaken ? await keptAnswer(database, owner, once) : undefined;
    if (kept === undefined) throw error instanceof KeyTaken ? concurrentModification() : error;
    return kept;
  }
}

const FIND: Statement = {
  name: 'idempotency_keys.find',
  text: `SELECT k.fingerprint, k.resource_id AS id, k.version, k.answer FROM idempotency_keys k
          WHERE k.owner_id = $1 AND k.caller_id = $2 AND k.key = $3`,
};

interface KeptRow {
  readonly fingerprint: Buffer;
  readonly id: string;
  readonly version: number;
  readonly answer: string;
}

interface KeptAnswer {
  readonly id: string;
  readonly version: number;
  readonly json: JsonText;
  readonly replayed: true;
}

/** The response to the key's first request; undefined when there was none. Throws idempotency-key-reused. */
export async function keptAnswer(
  database: Database,
  { ownerId, callerId }: KeyOwner,
  request: IdempotentRequest,
): Promise<KeptAnswer | undefined> {
  const [row] = await database.read<KeptRow>({ id: callerId }, FIND, [ownerId, callerId, request.key]);
  if (row === undefined) return undefined;
  if (!row.fingerprint.equals(request.fingerprint)) throw idempotencyKeyReused();
  return { id: row.id, version: row.version, json: new JsonText(row.answer), replayed: true };
}

/** Milliseconds. */
const CLEANING_INTERVAL = 60_000;

const OLDEST: Statement = {
  text: `SELECT k.created_at::text AS created_at FROM idempotency_keys k
          WHERE k.created_at < now() - interval '24 hours' ORDER BY k.created_at LIMIT 1`,
};

/** So many at once as came in one minute, so that a statement stays short however long nobody has cleaned. */
const DELETE_MINUTE: Statement = {
  text: `DELETE FROM idempotency_keys k WHERE k.created_at <= $1::timestamptz + interval '1 minute'
            AND k.created_at < now() - interval '24 hours'`,
};

/** Forgets the keys of yesterday. Every instance does, which costs the others nothing. */
@Injectable()
export class IdempotencyKeyCleaner implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.clean().catch(() => undefined); // the next round will do it
    }, CLEANING_INTERVAL).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  async clean(): Promise<void> {
    for (let last = ''; this.timer !== undefined;) {
      const [oldest] = await this.database.read<{ created_at: string }>(NOBODY, OLDEST, []);
      if (oldest === undefined || oldest.created_at === last) return;
      last = oldest.created_at;
      await this.database.write(NOBODY, DELETE_MINUTE, [last]);
    }
  }
}
