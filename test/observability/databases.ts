import pg from 'pg';
import type { Cleanup } from '../../bench/cleanup.js';
import { migrate } from '../../src/database/migrate.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { OwnServer } from '../support/own-server.js';
import { testSettings } from '../support/settings.js';

/** The ADMIN whose tokens Prometheus scrapes with. */
export const SCRAPER = 'prometheus';

/** A PostgreSQL, and a replica that follows it. */
export class Databases {
  private constructor(
    private readonly primary: OwnServer,
    private readonly standby: OwnServer,
  ) {}

  static async start(cleanup: Cleanup): Promise<Databases> {
    const primary = await OwnServer.start();
    cleanup.defer(() => primary.remove());
    await migrate(testSettings(primary.url).database);
    const socket = new URL(primary.url).searchParams.get('host') ?? '';
    await run(primary, `ALTER SYSTEM SET primary_conninfo = 'host=${socket} user=postgres'`);
    // Else a statement on the replica may be cancelled for what has to be replayed.
    await run(primary, `ALTER SYSTEM SET max_standby_streaming_delay = -1`);
    await run(primary, `CREATE ROLE prometheus LOGIN IN ROLE pg_monitor`);
    await run(
      primary,
      `INSERT INTO users (email, username, password_hash, role)
       VALUES ('${SCRAPER}@example.com', '${SCRAPER}', '$2b$10$' || repeat('.', 53), 'ADMIN')`,
    );
    await primary.stop(); // its files are copied
    const standby = await primary.standby();
    cleanup.defer(() => standby.remove());
    await primary.start();
    return new Databases(primary, standby);
  }

  async onReplica(text: string): Promise<void> {
    await run(this.standby, text);
  }

  /** Runs it, and keeps its transaction open until it is called off. */
  async hold(text: string): Promise<() => Promise<void>> {
    const client = await connect(this.primary);
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

async function connect({ url }: OwnServer): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function run(server: OwnServer, text: string): Promise<void> {
  const client = await connect(server);
  await client.query(text).finally(() => client.end());
}
