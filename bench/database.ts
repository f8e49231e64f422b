import { migrate, withDataSource } from '../src/database/migrate.js';
import { PostgresServer } from '../test/support/postgres-server.js';
import { testSettings } from '../test/support/settings.js';
import type { Cleanup } from './cleanup.js';
import type { Dataset } from './dataset.js';
import { seed } from './seed.js';
import { startService } from './servers.js';

/** What an operator sets on a small machine. What concerns durability stays at PostgreSQL's defaults. */
const SERVER_SETTINGS = { shared_buffers: '512MB', max_wal_size: '4GB', checkpoint_timeout: '15min' };
const SEEDED = 'seeded';

/** A PostgreSQL of the benchmark's own, on disk: in `keep`, or else in a folder that is deleted at the end. */
export async function startServer(keep: string | undefined, cleanup: Cleanup): Promise<PostgresServer> {
  const server = await PostgresServer.start({ keep, durable: true, settings: SERVER_SETTINGS });
  cleanup.defer(() => server.remove());
  return server;
}

/** The URL of a database with this content: the one that is there, or a new one. */
export async function seededDatabase(server: PostgresServer, dataset: Dataset): Promise<string> {
  const name = ['ledger', dataset.owners, dataset.transactions, ...dataset.large].join('_');
  if (await isSeeded(server.sql, name)) return urlOf(server, name);
  const url = await emptyDatabase(server, name);
  await withDataSource(testSettings(url).database, migrate);
  await seed(url, dataset);
  await server.sql(`COMMENT ON DATABASE ${name} IS '${SEEDED}'`);
  return url;
}

/** The URL of a new database with this content, in the schema of another checkout, whose service makes it. */
export async function databaseOf(
  checkout: string,
  server: PostgresServer,
  dataset: Dataset,
  cleanup: Cleanup,
): Promise<string> {
  const url = await emptyDatabase(server, 'against');
  await (await startService(url, cleanup, checkout)).stop();
  await seed(url, dataset);
  return url;
}

async function emptyDatabase(server: PostgresServer, name: string): Promise<string> {
  await server.sql(`DROP DATABASE IF EXISTS ${name}`);
  await server.sql(`CREATE DATABASE ${name}`);
  return urlOf(server, name);
}

function urlOf({ url: serverUrl }: PostgresServer, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** A database that was left half seeded does not say so. */
async function isSeeded(sql: PostgresServer['sql'], name: string): Promise<boolean> {
  const [row] = await sql<{ comment: string | null }>(
    `SELECT shobj_description(oid, 'pg_database') AS comment FROM pg_database WHERE datname = $1`,
    [name],
  );
  return row?.comment === SEEDED;
}
