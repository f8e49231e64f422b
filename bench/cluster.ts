import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadSettings } from '../src/config/env.js';
import { startEmbeddedPostgres } from '../src/quickstart/embedded-postgres/embedded-postgres.js';
import { migrate } from '../src/database/migrate.js';
import type { Cleanup } from './cleanup.js';
import type { Dataset } from './dataset.js';
import { parentOf } from './processes.js';
import { type Progress, seed } from './seed.js';

/** What an operator sets on a small machine. What concerns durability stays at PostgreSQL's defaults. */
const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
};
const SEEDED = 'seeded';

/** Of the service and of the reference alike. */
export const JWT_SECRET = 'the-secret-of-the-benchmark-0123456789abcdef';

/** A PostgreSQL of the benchmark's own, on disk. */
export class Cluster {
  private constructor(
    private readonly serverUrl: string,
    readonly version: string,
    /** The process whose children serve the connections; undefined where that cannot be told. */
    readonly pid: number | undefined,
  ) {}

  /** In `dir`, which is kept, or else in a folder that is deleted at the end. */
  static async start(
    dir: string | undefined,
    environment: NodeJS.ProcessEnv,
    cleanup: Cleanup,
  ): Promise<Cluster> {
    const dataDir = dir ?? mkdtempSync(join(tmpdir(), 'property-finance-bench-'));
    if (dir === undefined) cleanup.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    const start = () => startEmbeddedPostgres({ dataDir, database: 'postgres', environment });
    let server = await start();
    if (await withClient(server.url, applySettings)) {
      await server.stop(); // shared_buffers is read at the start only
      server = await start();
    }
    cleanup.defer(() => server.stop());
    return new Cluster(server.url, server.version, await withClient(server.url, postmasterOf));
  }

  /** The URL of a database with this content: the one that is there, or a new one. */
  async database(dataset: Dataset, progress: Progress): Promise<string> {
    const name = ['ledger', dataset.owners, dataset.transactions, ...dataset.large].join('_');
    const url = new URL(this.serverUrl);
    url.pathname = `/${name}`;
    await withClient(this.serverUrl, async (client) => {
      if (await isSeeded(client, name)) return;
      await client.query(`DROP DATABASE IF EXISTS ${name}`);
      await client.query(`CREATE DATABASE ${name}`);
      const settings = loadSettings({ JWT_SECRET, DB_URL: url.href, DB_PASSWORD: 'unused' });
      await migrate(settings.database);
      await seed(url.href, dataset, progress);
      await client.query(`COMMENT ON DATABASE ${name} IS '${SEEDED}'`);
    });
    return url.href;
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // it also fails the statement
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Whether the server has to be started again for them. */
async function applySettings(client: pg.Client): Promise<boolean> {
  let changed = false;
  for (const [name, value] of Object.entries(SERVER_SETTINGS)) {
    const { rows } = await client.query<Record<string, string>>(`SHOW ${name}`);
    if (rows[0]?.[name] === value) continue;
    await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    changed = true;
  }
  return changed;
}

async function postmasterOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0] && parentOf(rows[0].pid);
}

/** A database that was left half seeded does not say so. */
async function isSeeded(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ comment: string | null }>(
    `SELECT shobj_description(oid, 'pg_database') AS comment FROM pg_database WHERE datname = $1`,
    [name],
  );
  return rows[0]?.comment === SEEDED;
}
