import pg from 'pg';
import type { Cleanup } from './cleanup.js';

/** Undoes what the benchmark has written: the transactions that are newer than this, and the kept answers. */
export class Scratch {
  private hasDeleted = false;

  private constructor(
    private readonly pool: pg.Pool,
    private readonly newest: string,
  ) {}

  /** To be opened before the service that writes, so that it is cleared when that has stopped. */
  static async open(url: string, cleanup: Cleanup): Promise<Scratch> {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    pool.on('error', () => undefined);
    const { rows } = await pool.query<{ id: string }>('SELECT last_value AS id FROM transactions_id_seq');
    const scratch = new Scratch(pool, rows[0]?.id ?? '0');
    cleanup.defer(() => scratch.close());
    return scratch;
  }

  async clear(): Promise<void> {
    const { rowCount } = await this.pool.query('DELETE FROM transactions WHERE id > $1', [this.newest]);
    await this.pool.query('DELETE FROM idempotency_keys');
    this.hasDeleted ||= rowCount !== null && rowCount > 0;
  }

  /** Clears, and leaves the table as what is measured next wants it. Nothing when it is closed already. */
  async close(): Promise<void> {
    if (this.pool.ending) return;
    await this.clear();
    if (this.hasDeleted) await this.pool.query('VACUUM (ANALYZE) transactions');
    await this.pool.end();
  }
}
