import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How many rows an owner and a property have, kept by the database, because a count of 200,000 rows takes 20 ms and more
 * with each row; and the name of a transaction's property.
 *
 * Every path updates owner_totals before property_totals: two writes of one owner wait for each other in one order and
 * cannot deadlock. A statement of several owners goes through them by id, for the same reason.
 *
 * Transactions are counted once for each statement: while a database transaction lasts, no version of a row that it has
 * replaced can be pruned, so that updating one row of totals for each of 40,000 rows takes 24 s in place of 0.1. On Citus
 * the transition table can only be read by itself, not joined with a distributed table: hence the loop, whose updates
 * hit the servers of the owner alone. Most statements write to one property, and are spared it: a creation takes a twelfth
 * less time. Properties, and transactions that move to another property, come one at a time; their row triggers spare
 * ordinary edits all of it.
 *
 * TRUNCATE and what runs with session_replication_role = replica count nothing: `db recount` corrects the totals.
 */
export class Totals1800000000102 implements MigrationInterface {
  name = 'Totals1800000000102';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...COUNTING, NAMING, ...TRIGGERS]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER properties_totals ON properties');
    for (const name of ['inserted', 'deleted', 'moved'])
      await runner.query(`DROP TRIGGER transactions_totals_${name} ON transactions`);
    await runner.query('DROP TRIGGER transactions_property_name ON transactions');
    await runner.query(
      'DROP FUNCTION count_property(), count_transactions(), count_moved_transaction(), name_property()',
    );
  }
}

/** Those that keep the numbers. */
export const COUNTING = [
  `CREATE OR REPLACE FUNCTION count_property() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP = 'INSERT' THEN
       INSERT INTO owner_totals AS o (owner_id, properties) VALUES (NEW.owner_id, 1)
         ON CONFLICT (owner_id) DO UPDATE SET properties = o.properties + 1;
       INSERT INTO property_totals (owner_id, property_id) VALUES (NEW.owner_id, NEW.id);
     ELSE
       UPDATE owner_totals SET properties = properties - 1 WHERE owner_id = OLD.owner_id;
       DELETE FROM property_totals WHERE owner_id = OLD.owner_id AND property_id = OLD.id;
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE OR REPLACE FUNCTION count_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     sign bigint := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
     owner bigint;
     property bigint;
     number bigint;
     is_one boolean;
   BEGIN
     SELECT min(c.owner_id), min(c.property_id), count(*),
            min(c.owner_id) = max(c.owner_id) AND min(c.property_id) = max(c.property_id)
       INTO owner, property, number, is_one FROM changed c;
     IF is_one THEN
       UPDATE owner_totals SET transactions = transactions + sign * number WHERE owner_id = owner;
       UPDATE property_totals SET transactions = transactions + sign * number
        WHERE owner_id = owner AND property_id = property;
       RETURN NULL;
     END IF;
     FOR owner, property, number IN
       SELECT c.owner_id, c.property_id, count(*) FROM changed c GROUP BY 1, 2 ORDER BY 1, 2
     LOOP
       UPDATE owner_totals SET transactions = transactions + sign * number WHERE owner_id = owner;
       UPDATE property_totals SET transactions = transactions + sign * number
        WHERE owner_id = owner AND property_id = property;
     END LOOP;
     RETURN NULL;
   END $$`,
  // The owner's own number does not change, but its row is what two such moves wait for. Of CASE property_id WHEN … Citus
  // makes SQL that compares the property with a boolean.
  `CREATE OR REPLACE FUNCTION count_moved_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM FROM owner_totals WHERE owner_id = NEW.owner_id FOR UPDATE;
     UPDATE property_totals
        SET transactions = transactions + CASE WHEN property_id = NEW.property_id THEN 1 ELSE -1 END
      WHERE owner_id = NEW.owner_id AND property_id IN (OLD.property_id, NEW.property_id);
     RETURN NULL;
   END $$`,
];

/**
 * For an INSERT of values, which on Citus takes a third of the time of an INSERT … SELECT FROM properties; a name that
 * the statement gives stays. A property that is not the owner's is refused as by the foreign key, which would come too
 * late: the name cannot be null.
 */
const NAMING = `CREATE FUNCTION name_property() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     SELECT p.name INTO NEW.property_name FROM properties p
      WHERE p.owner_id = NEW.owner_id AND p.id = NEW.property_id;
     IF NOT FOUND THEN
       RAISE foreign_key_violation USING MESSAGE = 'the owner has no such property',
         TABLE = 'transactions', CONSTRAINT = 'transactions_property_fkey';
     END IF;
     RETURN NEW;
   END $$`;

const TRIGGERS = [
  `CREATE TRIGGER properties_totals AFTER INSERT OR DELETE ON properties
     FOR EACH ROW EXECUTE FUNCTION count_property()`,
  `CREATE TRIGGER transactions_totals_inserted AFTER INSERT ON transactions REFERENCING NEW TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION count_transactions()`,
  `CREATE TRIGGER transactions_totals_deleted AFTER DELETE ON transactions REFERENCING OLD TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION count_transactions()`,
  `CREATE TRIGGER transactions_totals_moved AFTER UPDATE OF property_id ON transactions
     FOR EACH ROW WHEN (OLD.property_id <> NEW.property_id) EXECUTE FUNCTION count_moved_transaction()`,
  `CREATE TRIGGER transactions_property_name BEFORE INSERT ON transactions
     FOR EACH ROW WHEN (NEW.property_name IS NULL) EXECUTE FUNCTION name_property()`,
];
