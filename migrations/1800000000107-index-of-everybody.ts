import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The index of everybody's rows by date is for an ADMIN alone. Its condition is true of every row, but only an ADMIN's
 * statements have it, to the letter. Without it PostgreSQL looked up the days of a large owner in this index, and read what
 * others had on them: 10,157 rows for a file of one busy day. Meanwhile reads go on, and writes wait: a second for 500,000 rows.
 */
export class IndexOfEverybody1800000000107 implements MigrationInterface {
  name = 'IndexOfEverybody1800000000107';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX transactions_everybody_date_idx ON transactions (date) WHERE id <> 0');
    await runner.query('DROP INDEX transactions_date_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX transactions_date_idx ON transactions (date)');
    await runner.query('DROP INDEX transactions_everybody_date_idx');
  }
}
