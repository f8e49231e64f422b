import { JsonText } from '../common/json/exact-json.js';
import type { Database, RunStatement, Statement, Work } from './database.js';
import { KeyReused, MissingAccount, StaleVersion } from './errors.js';
import { type Account, NOBODY } from './shares.js';

/** A request that may be sent again, with a fingerprint that another one under the same key does not have. */
export interface IdempotentRequest {
  readonly key: string;
  /** SHA-256 of the method, the target, the media type, and the bytes of the body. */
  fingerprint(): Buffer;
}

/** $1 caller, $2 key, $3 fingerprint. Another request with the key waits here, and writes nothing. */
const CLAIM: Statement = {
  name: 'idempotency_keys.claim',
  text: `INSERT INTO idempotency_keys (owner_id, caller_id, key, fingerprint, answer) VALUES ($1, $1, $2, $3, '')`,
  uniqueKey: () => new KeyReused(),
  foreignKey: () => new MissingAccount(),
};

/** $1 caller, $2 key, then the response: the row's id and version, if it is one row, and its JSON. */
const KEEP: Statement = {
  name: 'idempotency_keys.keep',
  text: `UPDATE idempotency_keys k SET resource_id = $3, version = $4, answer = $5
          WHERE k.owner_id = $1 AND k.caller_id = $1 AND k.key = $2`,
};

const FIND: Statement = {
  name: 'idempotency_keys.find',
  text: `SELECT k.fingerprint, k.resource_id AS id, k.version, k.answer AS json FROM idempotency_keys k
          WHERE k.owner_id = $1 AND k.caller_id = $1 AND k.key = $2`,
};

/** A row as the statement that wrote it returns it. A response of many rows has its JSON alone. */
export type WrittenRow = Readonly<{ id: string; version: number; json: string }>;

/** A resource as it is stored. */
export interface StoredRow {
  readonly id: string;
  readonly version: number;
  readonly json: JsonText;
  /** As an earlier request with the same Idempotency-Key has stored it. */
  readonly replayed?: boolean;
}

/**
 * All of the work's statements and the response under the key; or, under a key that has been here before, nothing but the
 * first response, whatever became of its rows. The key is the caller's, whose rows an ADMIN's request need not be about.
 * Throws idempotency-key-reused.
 */
export async function writeOnce<Result extends Partial<WrittenRow>>(
  database: Database,
  caller: Account,
  once: IdempotentRequest,
  work: Work<Result>,
  kind: 'transaction' | 'bulkWrite' = 'transaction',
): Promise<Result & { readonly replayed: boolean }> {
  const name = [caller.id, once.key];
  const fingerprint = once.fingerprint();
  try {
    const result = await database[kind](caller, async (run) => {
      await run(CLAIM, [...name, fingerprint]);
      const written = await work(run);
      await run(KEEP, [...name, written.id ?? null, written.version ?? null, written.json]);
      return written;
    });
    return { ...result, replayed: false };
  } catch (error) {
    if (!(error instanceof KeyReused)) throw error;
    const [kept] = await database.read<Result & { fingerprint: Buffer }>(caller, FIND, name);
    if (kept === undefined) throw new StaleVersion();
    if (!kept.fingerprint.equals(fingerprint)) throw error;
    return { ...kept, replayed: true };
  }
}

/** All of the work's statements or none; under a key as {@link writeOnce}. */
export async function transactOnce(
  database: Database,
  caller: Account,
  once: IdempotentRequest | undefined,
  work: Work<string>,
): Promise<Pick<StoredRow, 'json' | 'replayed'>> {
  const written = async (run: RunStatement) => ({ json: await work(run), replayed: false });
  const { json, replayed } = await (once === undefined
    ? database.bulkWrite(caller, written)
    : writeOnce(database, caller, once, written, 'bulkWrite'));
  return { json: new JsonText(json), replayed };
}

/** The keys of one minute, so that a statement stays short however long nobody has cleaned. */
const DELETE_MINUTE: Statement = {
  text: `DELETE FROM idempotency_keys k WHERE k.created_at < now() - interval '24 hours' AND k.created_at <=
    (SELECT o.created_at FROM idempotency_keys o ORDER BY o.created_at LIMIT 1) + interval '1 minute' RETURNING k.key`,
};

/** Forgets the oldest keys of yesterday. Whether there may be more. */
export async function forgetKeys(database: Database): Promise<boolean> {
  return (await database.write(NOBODY, DELETE_MINUTE, [])).length > 0;
}
