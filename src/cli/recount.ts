import pg from 'pg';
import type { DatabaseSettings } from '../config/env.js';
import { notFound } from '../http/problem/problem.js';
import { openUnhurried } from './database.js';
import { Failure } from './failures.js';

/** Owners that one statement compares: 10,000 of them take no more memory than these. */
const BATCH = 500;
const BEFORE_ALL_IDS = '0';
const LOCK_NOT_AVAILABLE = '55P03';

/** An owner whose totals are not the numbers of the rows that there are. */
export interface WrongTotals {
  readonly owner: string;
  /** How many rows of owner_totals and property_totals are wrong, missing or left over. */
  readonly rows: number;
}

export interface Recount {
  /** Only this owner; all of them where none is named. */
  readonly owner?: string | undefined;
  /** Whether what is wrong is corrected. */
  readonly repair: boolean;
  /** When aborted, it ends with the owner it is at. */
  readonly stop: AbortSignal;
}

/**
 * Compares the totals that the triggers keep with the rows, and yields each owner for whom they differ, once corrected if
 * `repair` says so. The service may write meanwhile: comparing takes no lock, and only the owners whose totals look wrong are
 * locked, one after the other, and compared again. On PostgreSQL a statement sees a write together with its totals; on
 * Citus the servers of a statement see moments of their own, so that only the second look counts.
 * Throws not-found for an owner who has no account, and a {@link Failure} where something else keeps an owner locked.
 */
export async function* recountTotals(
  settings: DatabaseSettings,
  { owner, repair, stop }: Recount,
): AsyncGenerator<WrongTotals, void> {
  const client = await openUnhurried(settings, 'recount');
  try {
    for await (const owners of owner === undefined ? allOwners(client) : oneOwner(client, owner)) {
      const { rows } = await client.query<WrongTotals>(DIFFERENCES, [owners]);
      for (const wrong of rows) {
        const found = await settle(client, wrong.owner, { repair, lockTimeout: settings.statementTimeout });
        if (found.rows > 0) yield found;
        if (stop.aborted) return;
      }
      if (stop.aborted) return;
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function* allOwners(client: pg.Client): AsyncGenerator<string[], void> {
  for (let last: string | undefined = BEFORE_ALL_IDS; last !== undefined;) {
    const { rows }: pg.QueryResult<{ id: string }> = await client.query(NEXT_OWNERS, [last, BATCH]);
    if (rows.length > 0) yield rows.map(({ id }) => id);
    last = rows.at(-1)?.id;
  }
}

async function* oneOwner(client: pg.Client, owner: string): AsyncGenerator<string[], void> {
  if ((await client.query('SELECT 1 FROM users WHERE id = $1', [owner])).rowCount === 0)
    throw notFound('user');
  yield [owner];
}

/**
 * Corrects the totals of an owner, or only counts the corrections. Every write of an owner that changes a total first takes the owner's row of owner_totals, and adds to what it finds
 * there once it has it. So whoever holds that row sees in the statement after it all that the totals have been told
 * of; what is still under way waits, and adds to the corrected number.
 */
async function settle(
  client: pg.Client,
  owner: string,
  { repair, lockTimeout }: { repair: boolean; lockTimeout: number },
): Promise<WrongTotals> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    await client.query(`${TELL_ALL_SERVERS}; SET LOCAL lock_timeout = '${lockTimeout}ms'`);
    if ((await client.query(LOCK_OWNER, [owner])).rowCount === 0) await addOwner(client, owner);
    let rows = 0;
    for (const correction of CORRECTIONS) rows += (await client.query(correction, [owner])).rowCount ?? 0;
    await client.query(repair ? 'COMMIT' : 'ROLLBACK');
    return { owner, rows };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE)
      throw new Failure(`Something else keeps the rows of owner ${owner} locked: run this again later.`);
    throw error;
  }
}

/** Of a Citus cluster; to PostgreSQL it is a setting like any other that it does not know. */
const TELL_ALL_SERVERS = "SET LOCAL citus.propagate_set_commands TO 'local'";

/**
 * A write that found no row to add to waits for nobody, and is not seen until it ends. The lock on the tables waits
 * for all such writes, and holds back the next ones for as long as it takes to count this owner's rows.
 */
async function addOwner(client: pg.Client, owner: string): Promise<void> {
  await client.query('LOCK TABLE properties, transactions IN SHARE MODE');
  await client.query(ADD_OWNER, [owner]);
  await client.query(LOCK_OWNER, [owner]);
}

/** Accounts, and what is left of accounts that are gone. */
const NEXT_OWNERS = `
  (SELECT id FROM users WHERE id > $1 ORDER BY id LIMIT $2)
  UNION
  (SELECT k.owner_id FROM property_totals k
    WHERE k.owner_id > $1 AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = k.owner_id)
    ORDER BY k.owner_id LIMIT $2)
  ORDER BY id LIMIT $2`;

/** In one statement, because then rows and totals are those of one moment. */
const DIFFERENCES = `
  WITH property_counts AS (
    SELECT p.owner_id, p.id AS property_id, coalesce(t.transactions, 0) AS transactions
      FROM properties p
      LEFT JOIN (SELECT owner_id, property_id, count(*) AS transactions FROM transactions
                  WHERE owner_id = ANY ($1::bigint[]) GROUP BY owner_id, property_id) t
        ON t.owner_id = p.owner_id AND t.property_id = p.id
     WHERE p.owner_id = ANY ($1::bigint[])
  ), owner_counts AS (
    SELECT owner_id, count(*) AS properties, sum(transactions) AS transactions
      FROM property_counts GROUP BY owner_id
  ), wrong AS (
    SELECT owner_id
      FROM owner_counts c
      FULL JOIN (SELECT * FROM owner_totals WHERE owner_id = ANY ($1::bigint[])) o USING (owner_id)
     WHERE (coalesce(c.properties, 0), coalesce(c.transactions, 0))
           IS DISTINCT FROM (coalesce(o.properties, 0), coalesce(o.transactions, 0))
    UNION ALL
    SELECT owner_id
      FROM property_counts c
      FULL JOIN (SELECT * FROM property_totals WHERE owner_id = ANY ($1::bigint[])) k USING (owner_id, property_id)
     WHERE c.transactions IS DISTINCT FROM k.transactions
  )
  SELECT owner_id AS owner, count(*)::int AS rows FROM wrong GROUP BY owner_id ORDER BY owner_id`;

const LOCK_OWNER = 'SELECT 1 FROM owner_totals WHERE owner_id = $1 FOR UPDATE';

/** No row for an account that is gone. */
const ADD_OWNER = `
  INSERT INTO owner_totals (owner_id) SELECT id FROM users WHERE id = $1 FOR KEY SHARE
  ON CONFLICT (owner_id) DO NOTHING`;

/** In this order: the owner's totals are the sums of the properties'. Each hits only the rows that are wrong. */
const CORRECTIONS = [
  `DELETE FROM property_totals k
    WHERE k.owner_id = $1
      AND NOT EXISTS (SELECT 1 FROM properties p WHERE p.owner_id = k.owner_id AND p.id = k.property_id)`,
  `INSERT INTO property_totals AS k (owner_id, property_id, transactions)
   SELECT p.owner_id, p.id, count(t.id)
     FROM properties p
     LEFT JOIN transactions t ON t.owner_id = p.owner_id AND t.property_id = p.id
    WHERE p.owner_id = $1
    GROUP BY p.owner_id, p.id
   ON CONFLICT (owner_id, property_id) DO UPDATE SET transactions = excluded.transactions
    WHERE k.transactions <> excluded.transactions`,
  `UPDATE owner_totals o SET properties = s.properties, transactions = s.transactions
     FROM (SELECT count(*) AS properties, coalesce(sum(k.transactions), 0) AS transactions
             FROM property_totals k WHERE k.owner_id = $1) s
    WHERE o.owner_id = $1 AND (o.properties, o.transactions) IS DISTINCT FROM (s.properties, s.transactions)`,
];
