import bcrypt from 'bcrypt';
import pg from 'pg';
import { progress } from './command.js';
import { ADMIN, type Dataset, PASSWORD } from './dataset.js';
import { FILL, HELPERS, INSERT_TRANSACTIONS } from './seed-sql.js';

const BCRYPT_COST = 10;

/**
 * Fills a migrated, empty database. Triggers and foreign keys sleep meanwhile, and the totals are counted afterwards. The
 * indexes grow with the rows, as in use: built at the end they would take a quarter less. One session
 * inserts in the order of ids: two would split pages in the middle, and the indexes would take 16 MiB more. Needs a superuser,
 * and leaves nothing of its own behind.
 */
export async function seed(url: string, dataset: Dataset): Promise<void> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    options: '-c session_replication_role=replica',
  });
  pool.on('error', () => undefined); // a server that is stopped under it fails the statement, which is enough
  try {
    progress('accounts and properties');
    await prepare(pool, dataset);
    await pool.query(FILL.users, [dataset.owners + ADMIN, await bcrypt.hash(PASSWORD, BCRYPT_COST), ADMIN]);
    await pool.query(FILL.properties);
    progress('transactions');
    await pool.query(INSERT_TRANSACTIONS, [dataset.transactions]);
    progress('totals');
    for (const text of [FILL.ownerTotals, FILL.propertyTotals, ...FILL.sequences]) await pool.query(text);
    await pool.query('DROP SCHEMA bench CASCADE');
    progress('statistics');
    await pool.query('VACUUM (ANALYZE)');
    await pool.query('CHECKPOINT');
  } finally {
    await pool.end();
  }
}

/** The helpers, and one slot for each transaction, in a shuffled order: an owner's rows lie all over the table. */
async function prepare(pool: pg.Pool, { owners, transactions, large }: Dataset): Promise<void> {
  for (const text of HELPERS) await pool.query(text);
  await pool.query(FILL.shares, [owners, transactions, large]);
  await pool.query(FILL.slots);
}
