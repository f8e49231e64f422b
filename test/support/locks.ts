import type pg from 'pg';
import { citusServers } from './citus.js';
import { openConnection } from './connect.js';
import { opened } from './opened.js';
import { type Service } from './service.js';
import { until } from './until.js';

/** A transaction of its own beside the service's: what it locks, the service must wait for. */
export class Lock {
  /** Commits; a test that does not get there leaves no lock behind. */
  readonly release = opened(async () => {
    await this.client.query('COMMIT').finally(() => this.client.end());
  });

  private constructor(
    private readonly client: pg.Client,
    private readonly service: Service,
  ) {}

  /** Locks the rows that the statement selects. */
  static async take(service: Service, statement: string, values: unknown[]): Promise<Lock> {
    const client = await openConnection(service.settings.database.url);
    const lock = new Lock(client, service);
    await client.query('BEGIN');
    const { rowCount } = await client.query(statement, values);
    if (rowCount === 0) throw new Error('there is nothing to lock');
    return lock;
  }

  /** Waits until so many of the service's statements wait for a lock. */
  async waitedForBy(count: number): Promise<void> {
    await until(async () => (await waitingForLocks(this.service)) >= count);
  }
}

/** How many statements wait for a lock, on whichever server they wait. */
export async function waitingForLocks(service: Service): Promise<number> {
  const activity = citusServers().length > 0 ? 'citus_stat_activity' : 'pg_stat_activity';
  const [row] = await service.sql<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM ${activity}
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row!.waiting;
}
