import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is longer than 16 KiB is not kept with the key: its repetition reads the row again. */
export class LongAnswers1795000000015 implements MigrationInterface {
  name = 'LongAnswers1795000000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_keys ALTER COLUMN answer DROP NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM idempotency_keys WHERE answer IS NULL');
    await runner.query('ALTER TABLE idempotency_keys ALTER COLUMN answer SET NOT NULL');
  }
}
