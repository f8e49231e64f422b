import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ALLOW_TRIGGERS } from './1795000000003-totals.js';

/**
 * A new transaction takes its property's name from the database. An INSERT of values is then all that a request needs:
 * where the tables are spread over several servers, an INSERT … SELECT that leaves the id to its sequence is carried out
 * row by row on the way, which takes three times as long (and drawn within the SELECT, the id is another server's). On
 * one server the two take the same time. Whoever gives a name, to restore or to move a row, keeps it.
 *
 * A property that is not the owner's is refused as by the foreign key, which would be looked at only after the name, that
 * cannot be null.
 */
export class NameOfProperty1795000000009 implements MigrationInterface {
  name = 'NameOfProperty1795000000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ALLOW_TRIGGERS);
    await runner.query(`
      CREATE FUNCTION name_property() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        SELECT p.name INTO NEW.property_name FROM properties p
         WHERE p.owner_id = NEW.owner_id AND p.id = NEW.property_id;
        IF NOT FOUND THEN
          RAISE foreign_key_violation USING MESSAGE = 'the owner has no such property',
            TABLE = 'transactions', CONSTRAINT = 'transactions_property_fkey';
        END IF;
        RETURN NEW;
      END $$`);
    await runner.query(
      `CREATE TRIGGER transactions_property_name BEFORE INSERT ON transactions
         FOR EACH ROW WHEN (NEW.property_name IS NULL) EXECUTE FUNCTION name_property()`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(ALLOW_TRIGGERS);
    await runner.query('DROP TRIGGER transactions_property_name ON transactions');
    await runner.query('DROP FUNCTION name_property()');
  }
}
