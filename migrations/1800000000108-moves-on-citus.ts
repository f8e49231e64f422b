import type { MigrationInterface, QueryRunner } from 'typeorm';
import { COUNTING } from './1800000000102-totals.js';

/**
 * The counting functions of an existing database, as the migration before now makes them: on Citus each move of a transaction
 * to another property failed. A rollback leaves them, because the version before works with them.
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
