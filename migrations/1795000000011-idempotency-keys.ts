import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The answers to requests with an Idempotency-Key, for a day. The key is written by the statement that writes the row,
 * so that there is never one without the other, and its primary key decides between two requests at once. Keyed by
 * owner first, as all that belongs to one; the caller is part of it, because an ADMIN writes among the rows of others.
 *
 * The answer is kept as it was sent: a repetition gets the first answer even when the row has been changed or deleted
 * since. What is a day old is found by its time.
 */
export class IdempotencyKeys1795000000011 implements MigrationInterface {
  name = 'IdempotencyKeys1795000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_keys (
        owner_id    bigint         NOT NULL,
        caller_id   bigint         NOT NULL,
        key         text           NOT NULL,
        fingerprint bytea          NOT NULL,
        resource_id bigint         NOT NULL,
        version     integer        NOT NULL,
        answer      text           NOT NULL,
        created_at  timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT idempotency_keys_pkey PRIMARY KEY (owner_id, caller_id, key),
        CONSTRAINT idempotency_keys_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users (id) ON DELETE CASCADE,
        CONSTRAINT idempotency_keys_key_length CHECK (char_length(key) BETWEEN 1 AND 255)
      )`);
    await runner.query('CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at)');
    await runner.query(DISTRIBUTE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}

/** To where the owners' other rows are, if those are spread over the servers of a Citus cluster. */
const DISTRIBUTE = `
  DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN
      IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'properties'::regclass) THEN
        PERFORM create_distributed_table('idempotency_keys', 'owner_id', colocate_with => 'properties');
      END IF;
    END IF;
  END $$`;
