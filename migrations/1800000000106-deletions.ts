import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A line for each row that is gone, or gone to another owner, for those who follow the changes. Triggers write it, so that
 * whatever deletes a row leaves one; nothing else pays for it. It has its transaction's time, as `updated_at` has.
 *
 * A row that moves away and back may leave two at once, so nothing is unique. Lines outlive their account: nobody sees them.
 */
export class Deletions1800000000106 implements MigrationInterface {
  name = 'Deletions1800000000106';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [DELETIONS, ...INDEXES, NOTING]) await runner.query(statement);
    await runner.query(DISTRIBUTION);
    for (const table of TABLES)
      await runner.query(
        `CREATE TRIGGER ${table}_deletions AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone
           FOR EACH STATEMENT EXECUTE FUNCTION note_deletions('${table}')`,
      );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`DROP TRIGGER ${table}_deletions ON ${table}`);
    await runner.query('DROP FUNCTION note_deletions()');
    await runner.query('DROP TABLE deletions');
  }
}

const TABLES = ['properties', 'transactions'];

const DELETIONS = `
  CREATE TABLE deletions (
    owner_id bigint         NOT NULL,
    kind     text           NOT NULL,
    id       bigint         NOT NULL,
    at       timestamptz(3) NOT NULL DEFAULT now()
  )`;

const INDEXES = [
  'CREATE INDEX deletions_owner_at_idx ON deletions (owner_id, kind, at, id)',
  // Those that are old enough to be forgotten
  'CREATE INDEX deletions_at_idx ON deletions (at, id)',
];

/** A loop: on Citus the transition table can only be read by itself. Its own name would be a shard's there. */
const NOTING = `
  CREATE FUNCTION note_deletions() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    line record;
  BEGIN
    FOR line IN SELECT g.owner_id, g.id FROM gone g LOOP
      INSERT INTO deletions (owner_id, kind, id) VALUES (line.owner_id, TG_ARGV[0], line.id);
    END LOOP;
    RETURN NULL;
  END $$`;

/** Where the tables of owners' rows are distributed already. */
const DISTRIBUTION = `
  DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'properties'::regclass) THEN
        PERFORM create_distributed_table('deletions', 'owner_id', colocate_with => 'properties');
      END IF;
    END IF;
  END $$`;
