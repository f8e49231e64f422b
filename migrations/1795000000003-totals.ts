import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How many rows an owner and a property have, kept by the database, because a count of 200,000 rows takes 20 ms and
 * more with each row. Row-level triggers, because statement triggers with transition tables cannot be used on
 * a distributed table's INSERT … SELECT.
 *
 * Every path touches owner_totals before property_totals: two writes of one owner then wait for each other in
 * one order and cannot deadlock.
 */
export class Totals1795000000003 implements MigrationInterface {
  name = 'Totals1795000000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ALLOW_TRIGGERS);
    await runner.query(`
      CREATE TABLE owner_totals (
        owner_id     bigint NOT NULL,
        properties   bigint NOT NULL DEFAULT 0,
        transactions bigint NOT NULL DEFAULT 0,
        CONSTRAINT owner_totals_pkey PRIMARY KEY (owner_id),
        CONSTRAINT owner_totals_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users (id) ON DELETE CASCADE
      ) WITH (fillfactor = 70)`); // room on the page for the next version of a row that changes often
    await runner.query(`
      CREATE TABLE property_totals (
        owner_id     bigint NOT NULL,
        property_id  bigint NOT NULL,
        transactions bigint NOT NULL DEFAULT 0,
        CONSTRAINT property_totals_pkey PRIMARY KEY (owner_id, property_id)
      ) WITH (fillfactor = 70)`);
    for (const statement of [...COUNTED_AT_ONCE, ...TRIGGERS]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(ALLOW_TRIGGERS);
    await runner.query('DROP TRIGGER properties_totals ON properties');
    await runner.query('DROP TRIGGER transactions_totals ON transactions');
    await runner.query('DROP TRIGGER transactions_totals_moved ON transactions');
    await runner.query('DROP FUNCTION count_property(), count_transaction(), count_moved_transaction()');
    await runner.query('DROP TABLE property_totals, owner_totals');
  }
}

/**
 * Citus wants to be asked before a trigger comes or goes, and makes no function after what it did to the parts of a table
 * side by side. To PostgreSQL these are settings like any other that it does not know.
 */
export const ALLOW_TRIGGERS =
  "SET LOCAL citus.enable_unsafe_triggers TO on; SET LOCAL citus.multi_shard_modify_mode TO 'sequential'";

/** Each row at its own time, which a later migration comes back to when it is undone. */
export const COUNTED_AT_ONCE = [
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
  `CREATE OR REPLACE FUNCTION count_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP = 'INSERT' THEN
       UPDATE owner_totals SET transactions = transactions + 1 WHERE owner_id = NEW.owner_id;
       UPDATE property_totals SET transactions = transactions + 1
        WHERE owner_id = NEW.owner_id AND property_id = NEW.property_id;
     ELSE
       UPDATE owner_totals SET transactions = transactions - 1 WHERE owner_id = OLD.owner_id;
       UPDATE property_totals SET transactions = transactions - 1
        WHERE owner_id = OLD.owner_id AND property_id = OLD.property_id;
     END IF;
     RETURN NULL;
   END $$`,
  // The owner's own number does not change, but its row is what two such moves wait for.
  `CREATE OR REPLACE FUNCTION count_moved_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM FROM owner_totals WHERE owner_id = NEW.owner_id FOR UPDATE;
     UPDATE property_totals SET transactions = transactions - 1
      WHERE owner_id = OLD.owner_id AND property_id = OLD.property_id;
     UPDATE property_totals SET transactions = transactions + 1
      WHERE owner_id = NEW.owner_id AND property_id = NEW.property_id;
     RETURN NULL;
   END $$`,
];

const TRIGGERS = [
  `CREATE TRIGGER properties_totals AFTER INSERT OR DELETE ON properties
     FOR EACH ROW EXECUTE FUNCTION count_property()`,
  `CREATE TRIGGER transactions_totals AFTER INSERT OR DELETE ON transactions
     FOR EACH ROW EXECUTE FUNCTION count_transaction()`,
  // Only a real move: an ordinary edit, which names property_id too, touches no total.
  `CREATE TRIGGER transactions_totals_moved AFTER UPDATE OF property_id ON transactions
     FOR EACH ROW WHEN (OLD.property_id <> NEW.property_id) EXECUTE FUNCTION count_moved_transaction()`,
];
