import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A request with an Idempotency-Key may write many rows: its answer is kept without the id and the version of one. */
export class KeysOfMany1795000000014 implements MigrationInterface {
  name = 'KeysOfMany1795000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE idempotency_keys ALTER COLUMN resource_id DROP NOT NULL, ALTER COLUMN version DROP NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM idempotency_keys WHERE resource_id IS NULL');
    await runner.query(
      'ALTER TABLE idempotency_keys ALTER COLUMN resource_id SET NOT NULL, ALTER COLUMN version SET NOT NULL',
    );
  }
}
