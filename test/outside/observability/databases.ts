import type { Cleanup } from '../../../bench/cleanup.js';
import { migrate } from '../../../src/database/migrate.js';
import { DatabaseProxy } from '../../support/database-proxy.js';
import { PostgresServer } from '../../support/postgres-server.js';
import { testSettings } from '../../support/settings.js';

/** The ADMIN whose tokens Prometheus scrapes with. */
export const SCRAPER = 'prometheus';

/** A PostgreSQL, and a replica that follows it. */
export class Databases {
  private constructor(
    private readonly primary: PostgresServer,
    private readonly standby: PostgresServer,
  ) {}

  static async start(cleanup: Cleanup): Promise<Databases> {
    // Else a statement on the replica may be cancelled for what has to be replayed.
    const primary = await PostgresServer.start({ settings: { max_standby_streaming_delay: '-1' } });
    cleanup.defer(() => primary.remove());
    await migrate(testSettings(primary.url).database);
    await primary.sql(`CREATE ROLE prometheus LOGIN IN ROLE pg_monitor`);
    await primary.sql(`INSERT INTO users (email, username, password_hash, role)
       VALUES ('${SCRAPER}@example.com', '${SCRAPER}', '$2b$10$' || repeat('.', 53), 'ADMIN')`);
    const standby = await primary.follower('replica');
    cleanup.defer(() => standby.remove());
    return new Databases(primary, standby);
  }

  async onReplica(text: string): Promise<void> {
    await this.standby.sql(text);
  }

  /** Runs it, and keeps its transaction open until it is called off. */
  async hold(text: string): Promise<() => Promise<void>> {
    const client = await this.primary.connect();
    await client.query(`BEGIN; ${text}`);
    return () => client.end();
  }

  /** A way over TCP, which can be closed: the servers themselves have sockets only, closed to other users. */
  async way(cleanup: Cleanup, to: 'primary' | 'standby'): Promise<{ proxy: DatabaseProxy; url: string }> {
    const proxy = await DatabaseProxy.open();
    cleanup.defer(() => proxy.close());
    return { proxy, url: proxy.url(this[to].url) };
  }
}
