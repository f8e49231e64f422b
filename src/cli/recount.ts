import pg from 'pg';
import type { DatabaseSettings } from '../config/database-settings.js';
import { requireSchema, withConnection } from './session.js';
import { Failure } from './failures.js';

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Compares the totals that the triggers keep with the rows, corrects them unless it only checks, and reports each owner with
 * the number of wrong, missing or needless rows. The service may write meanwhile: comparing takes no lock, and only owners
 * whose totals look wrong are locked, one by one, and compared again. On Citus the first look may err, because the servers
 * of a statement see different moments. Once stopped, it ends after the present owner. Throws a {@link Failure} for one that
 * another transaction keeps locked.
 */
export async function recountTotals(
  settings: DatabaseSettings,
  check: boolean,
  stop: AbortSignal,
  report: (owner: string, rows: number) => void,
): Promise<void> {
  await requireSchema(settings);
  await withConnection(settings, 'recount', async (client) => {
    const { rows: owners } = await client.query<{ id: string }>(WRONG_OWNERS);
    for (const { id } of owners) {
      const rows = await settle(client, id, check, settings.statementTimeout);
      if (rows > 0) report(id, rows);
      if (stop.aborted) return;
    }
  });
}

/**
 * Corrects the totals of an owner, or only counts the corrections. Every write that changes a total first locks the
 * owner's row of owner_totals, and adds to the number there. So the statements after this lock see all counted rows; a
 * write under way waits, and adds to the corrected number.
 */
async function settle(client: pg.Client, owner: string, check: boolean, timeout: number): Promise<number> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    await client.query(`${TELL_ALL_SERVERS}; SET LOCAL lock_timeout = '${timeout}ms'`);
    if ((await client.query(LOCK_OWNER, [owner])).rowCount === 0) await addOwner(client, owner);
    let rows = 0;
    for (const correction of CORRECTIONS) rows += (await client.query(correction, [owner])).rowCount ?? 0;
    await client.query(check ? 'ROLLBACK' : 'COMMIT');
    return rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE)
      throw new Failure(`Something else keeps the rows of owner ${owner} locked: run this again later.`);
    throw error;
  }
}

/** For a Citus cluster; PostgreSQL ignores it as an unknown setting. */
const TELL_ALL_SERVERS = "SET LOCAL citus.propagate_set_commands TO 'local'";

/** A write without a row of owner_totals holds no lock, and is invisible: the lock on the tables waits for all of them. */
async function addOwner(client: pg.Client, owner: string): Promise<void> {
  await client.query('LOCK TABLE properties, transactions IN SHARE MODE');
  await client.query(ADD_OWNER, [owner]);
  await client.query(LOCK_OWNER, [owner]);
}

/** Owners of whose rows something is left when the totals are taken away. In one statement, because it sees one moment. */
const WRONG_OWNERS = `
  SELECT owner_id AS id
    FROM (SELECT owner_id, id AS property_id, 1 AS properties, 0 AS transactions FROM properties
          UNION ALL SELECT owner_id, property_id, 0, count(*) FROM transactions GROUP BY owner_id, property_id
          UNION ALL SELECT owner_id, property_id, -1, -transactions FROM property_totals) p
   GROUP BY owner_id, property_id HAVING sum(properties) <> 0 OR sum(transactions) <> 0
  UNION
  SELECT owner_id
    FROM (SELECT owner_id, 1 AS properties, transactions FROM property_totals
          UNION ALL SELECT owner_id, -properties, -transactions FROM owner_totals) o
   GROUP BY owner_id HAVING sum(properties) <> 0 OR sum(transactions) <> 0
   ORDER BY id`;

const LOCK_OWNER = 'SELECT 1 FROM owner_totals WHERE owner_id = $1 FOR UPDATE';

/** No row for a deleted account. */
const ADD_OWNER = `
  INSERT INTO owner_totals (owner_id) SELECT id FROM users WHERE id = $1 FOR KEY SHARE
  ON CONFLICT (owner_id) DO NOTHING`;

/** In this order: the owner's totals are the sums of the properties'. Each statement hits wrong rows only. */
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
