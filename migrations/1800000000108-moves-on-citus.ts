import type { MigrationInterface, QueryRunner } from 'typeorm';
import { COUNTING } from './1800000000102-totals.js';

/**
 * Replaces the counting functions of an existing database by those that 102 makes now: with the old ones, each move of a
 * transaction to another property failed on Citus. A rollback leaves them: the version before works with them, too.
 */
export class MovesOnCitus1800000000108 implements MigrationInterface {
  name = 'MovesOnCitus1800000000108';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of COUNTING) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}
