import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The indexes. A write adds to most of them, and together they take more room than the rows: one more has to take the
 * place of another. Right after a checkpoint each also writes most of a page into the log for each changed row, whatever
 * its size: 3 to 4 of an update's 30 KB. Figures are of 500,000 rows and an owner who has 200,000, on two cores.
 */
export class Indexes1800000000103 implements MigrationInterface {
  name = 'Indexes1800000000103';

  async up(runner: QueryRunner): Promise<void> {
    // Trusted: the owner of the database may create it. Citus would hand on the statement, and the workers want its owner.
    const found = await runner.manager.query<unknown[]>(TRIGRAMS);
    if (found.length === 0) await runner.query('CREATE EXTENSION pg_trgm');
    for (const statement of INDEXES) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Citus drops one distributed object by a statement.
    for (const [, name] of INDEXES.join().matchAll(/INDEX (\w+) ON/g))
      await runner.query(`DROP INDEX ${name}`);
  }
}

const TRIGRAMS = `SELECT 1 FROM pg_catalog.pg_extension WHERE extname = 'pg_trgm'`;

const OF_KEYS = [
  // Two sign-ups at once with one name in different case: these decide. The second serves the sign-in as well.
  'CREATE UNIQUE INDEX users_email_key ON users (lower(email))',
  'CREATE UNIQUE INDEX users_username_key ON users (lower(username))',
  // ADMIN knows no owner. Not unique, because a distributed table could not hold it unique; the sequence does. Transactions
  // have their primary key for that: 15 MB less, and a list of one owner by id sorts his entries (45 ms in place of 0.3).
  'CREATE INDEX properties_id_idx ON properties (id)',
  // The keys of yesterday, to be forgotten.
  'CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at)',
];

/**
 * One index in the order of the default list carries all that a search filters by, short of texts: whatever a host combines,
 * its count is one Index Only Scan of the owner's entries in the period (200,000 in 16 ms), and its page is read in the order
 * of the index. There is nothing left for the planner to choose, so that such searches are prepared, and right on PostgreSQL
 * 15 as on 18. Lists in an order without an index sort what it gives (45 ms). Its ids descend, as those of a descending list
 * do, so that it serves both directions. Lists by description, vendor, createdAt and updatedAt read the owner's rows and keep
 * the best: created_at would make it a tenth larger, and with updated_at each UPDATE would have to write all indexes (HOT).
 *
 * The property is one of its keys: when a property is deleted, the foreign key looks through the entries, and reads no row
 * (10 ms). An index for that alone took 4 MB and 1.3 KB of log for an update. The six enumerated fields are in it as one
 * integer. Six columns of PostgreSQL's enumerated types would make it 18 % larger.
 */
const OF_LISTS = [
  `CREATE INDEX transactions_owner_date_idx ON transactions (owner_id, date DESC, id DESC, property_id)
     INCLUDE (due_date, paid_at, facets, amount)`,
  // A list by amount, and a search for amounts alone: 0.3 ms in place of 45. Without the id, which breaks ties, a page far
  // behind would read rows: 60 ms in place of 8.
  'CREATE INDEX transactions_owner_amount_idx ON transactions (owner_id, amount, id)',
  // Few rows have one, if any: it costs a write nothing, and spares a search 90 ms.
  `CREATE INDEX transactions_owner_approval_status_idx ON transactions (owner_id, approval_status)
     WHERE approval_status IS NOT NULL`,
  // ADMIN's list of everything, read backwards: 0.3 ms in place of 90. In another order than this and the id's it reads the
  // table, and keeps the best rows. New dates come last, where pages are filled: descending it was a quarter larger.
  'CREATE INDEX transactions_date_idx ON transactions (date)',
];

/**
 * The cash flow is of few of an owner's rows: those that are unpaid, and those that recur. An index of each finds them
 * without a look at the others, and has nothing but the owner, so that equal entries share one: 1.9 MB, of 143,000 and
 * 100,000 rows. One index of both would take 180 ms in place of 144, none 230. With all columns of the report in them they
 * would have 23 MB, and spare 90.
 *
 * The conditions are those of the statement, to the letter; the numbers are the bits of PAID, CANCELLED and REFUNDED among
 * the facets, and of what recurs.
 */
const OF_REPORTS = [
  `CREATE INDEX transactions_owner_owed_idx ON transactions (owner_id)
     WHERE paid_at IS NULL AND facets & 28 NOT IN (16, 4, 24)`,
  'CREATE INDEX transactions_owner_recurring_idx ON transactions (owner_id) WHERE facets & 16384 <> 0',
];

const SEARCHED = ['description', 'notes', 'vendor', 'subcategory', 'payment_reference', 'booking_reference'];
/** U+001F keeps a term from matching across two fields. */
const SEARCH_TEXT = SEARCHED.map((field) => `coalesce(${field}, '')`).join(` || E'\\x1f' || `);

/**
 * One trigram index on all texts in place of six: a rare or absent term among 400,000 rows takes 1 ms. The expression is that of
 * the statement, to the letter.
 *
 * What the index has not yet worked in waits in a list, which every search reads: 0.55 ms more for each MB, 4.4 at most and
 * none after a VACUUM. Working it in visits a page for each of some thousand trigrams, however many rows share them, and
 * holds one write up for 0.1 s: from 256 kB to 8 MB an update takes a fifth less processor time and, a minute after a
 * checkpoint, a third less log (14.9 → 10.2 KB). Without the list it would cost 70 % more processor time. Full or empty it has 8 MB
 * of the file; with 4 an update would write 1 % more log.
 */
const SEARCH = `
  CREATE INDEX transactions_search_text_idx ON transactions USING gin (lower(${SEARCH_TEXT}) gin_trgm_ops)
    WITH (gin_pending_list_limit = 8192)`;

export const INDEXES = [...OF_KEYS, ...OF_LISTS, ...OF_REPORTS, SEARCH];
