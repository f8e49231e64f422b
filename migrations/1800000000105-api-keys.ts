import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The keys of programs, of which only digests are kept. An account's keys have slots from 1 to 20, so that the unique key
 * bounds their number, whatever comes at the same time. They go with their account.
 */
export class ApiKeys1800000000105 implements MigrationInterface {
  name = 'ApiKeys1800000000105';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SEQUENCE api_keys_id_seq');
    await runner.query(API_KEYS);
    await runner.query('ALTER SEQUENCE api_keys_id_seq OWNED BY api_keys.id');
    await runner.query(DISTRIBUTION);
    await runner.query(ACCOUNT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys');
  }
}

const API_KEYS = `
  CREATE TABLE api_keys (
    id         bigint         NOT NULL DEFAULT nextval('api_keys_id_seq'),
    user_id    bigint         NOT NULL,
    slot       integer        NOT NULL,
    name       short_text     NOT NULL,
    access     text           NOT NULL,
    digest     bytea          NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_used  date,
    expires_at timestamptz(3),
    CONSTRAINT api_keys_pkey PRIMARY KEY (id),
    CONSTRAINT api_keys_slot_key UNIQUE (user_id, slot),
    CONSTRAINT api_keys_slot_range CHECK (slot BETWEEN 1 AND 20),
    CONSTRAINT api_keys_access_known CHECK (access IN ('READ', 'WRITE')),
    CONSTRAINT api_keys_digest_sha256 CHECK (octet_length(digest) = 32)
  )`;

/** Where accounts are distributed already. */
const DISTRIBUTION = `
  DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass) THEN
        PERFORM create_reference_table('api_keys');
      END IF;
    END IF;
  END $$`;

/** Last: from then on Citus knows the table, and lets nobody alter its sequence. */
const ACCOUNT = `
  ALTER TABLE api_keys
    ADD CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE`;
