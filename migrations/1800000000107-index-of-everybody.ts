import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The index of everybody's rows by date is for an ADMIN alone, whose statements have its condition, to the letter; it is true
 * of every row. Without one PostgreSQL looked for the days of an owner with many rows in it, and read whatever others had on
 * them: 10,157 rows for a file of one busy day. Reads go on meanwhile, writes wait a second with 500,000 rows.
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
