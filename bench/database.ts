import { migrate, withDataSource } from '../src/database/migrate.js';
import { PostgresServer } from '../test/support/postgres-server.js';
import { testSettings } from '../test/support/settings.js';
import type { Cleanup } from './cleanup.js';
import type { Dataset } from './dataset.js';
import { seed } from './seed.js';

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
export async function seededDatabase(
  { url: serverUrl, sql }: PostgresServer,
  dataset: Dataset,
): Promise<string> {
  const name = ['ledger', dataset.owners, dataset.transactions, ...dataset.large].join('_');
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  if (await isSeeded(sql, name)) return url.href;
  await sql(`DROP DATABASE IF EXISTS ${name}`);
  await sql(`CREATE DATABASE ${name}`);
  await withDataSource(testSettings(url.href).database, migrate);
  await seed(url.href, dataset);
  await sql(`COMMENT ON DATABASE ${name} IS '${SEEDED}'`);
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
