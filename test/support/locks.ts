import { citusServers } from './citus.js';
import { openConnection } from './connect.js';
import { opened } from './opened.js';
import type { Service } from './service.js';
import { until } from './until.js';

/** A transaction beside the service's that locks rows or tables until its release. */
export class Lock {
  private constructor(
    private readonly service: Service,
    /** Commits, at the latest at the end of the test. */
    readonly release: () => Promise<void>,
  ) {}

  static async take(service: Service, statement: string, values: unknown[]): Promise<Lock> {
    const client = await openConnection(service.settings.database.url);
    await client.query('BEGIN');
    const { rowCount } = await client.query(statement, values);
    if (rowCount === 0) throw new Error('there is nothing to lock');
    const commit = (): Promise<void> => client.query('COMMIT').then(() => client.end());
    return new Lock(service, opened(commit));
  }

  /** Waits until so many of the service's statements wait for a lock. */
  async waitedForBy(count: number): Promise<void> {
    await until(async () => (await waitingForLocks(this.service)) >= count);
  }
}

/** The number of statements that wait for a lock, on any server. */
export async function waitingForLocks(service: Service): Promise<number> {
  const activity = citusServers().length > 0 ? 'citus_stat_activity' : 'pg_stat_activity';
  const [row] = await service.sql<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM ${activity}
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row!.waiting;
}
