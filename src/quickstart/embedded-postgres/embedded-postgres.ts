import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgresError, findBinaries } from './binaries.js';
import {
  type Cluster,
  clusterName,
  type ClusterOptions,
  openCluster,
  passwordOf,
  SUPERUSER,
} from './cluster.js';
import { PORT, readPostmaster, startPostmaster, stopPostmaster } from './postmaster.js';

/** A private PostgreSQL server, reached through a socket in a folder that is closed to other users. */
export type EmbeddedPostgres = Awaited<ReturnType<typeof use>>;

/** `kill` stops a server that this process has started. */
type Connection = Readonly<{ client: pg.Client; socketDir: string; kill?: () => void }>;

/** Held in shared mode by every process that uses the server; the one that gets it exclusively is the last. */
const USERS_LOCK = 7_305_001;
const EXCLUSIVE_LOCK = 7_305_002; // held for work that one process does at a time

const ATTACH_TIME = 5000;
const PAUSE = 20;
const ATTEMPTS = 3;

/**
 * Starts a PostgreSQL beside the application, for first runs and tests, or joins the one that another process has started on
 * the folder. Of this project it uses its own folder alone: Jest's global setup loads it outside of the module mapping.
 */
export async function startEmbeddedPostgres(options: ClusterOptions & { readonly database: string }) {
  const cluster = openCluster(options);
  for (let left = ATTEMPTS; ; left--) {
    let connection: Connection | undefined;
    try {
      connection = (await attach(cluster.dataDir)) ?? (await launch(cluster));
      return await use(cluster, connection, options.database);
    } catch (error) {
      // In this very moment another process may have started, made the database, or left as the last one.
      await connection?.client.end().catch(() => undefined);
      if (left === 0) throw error;
    }
  }
}

/** Deletes the cluster of this version of PostgreSQL. False, and nothing is deleted, while another process uses it. */
export async function deleteCluster(dataDir: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const name = clusterName(findBinaries(environment));
  const connection = await attach(join(dataDir, name));
  if (connection !== undefined && !(await stopIfAlone(join(dataDir, name), connection))) return false;
  for (const entry of existsSync(dataDir) ? readdirSync(dataDir) : [])
    if (entry.split('.', 1)[0] === name) rmSync(join(dataDir, entry), { recursive: true, force: true });
  return true;
}

async function use(cluster: Cluster, connection: Connection, database: string) {
  const { client, socketDir, kill } = connection;
  const { dataDir, binaries } = cluster;
  await client.query('SELECT pg_advisory_lock_shared($1)', [USERS_LOCK]);
  const create = `CREATE DATABASE ${client.escapeIdentifier(database)}`;
  await exclusively(client, async () => {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(create);
  });
  return {
    url: `postgres://${SUPERUSER}:${passwordOf(dataDir)}@localhost:${PORT}/${encodeURIComponent(database)}?host=${encodeURIComponent(socketDir)}`,
    socketDir,
    version: binaries.version,
    /** Does the work while no other process that uses the server does such work. */
    exclusively: <T>(work: () => Promise<T>) => exclusively(client, work),
    /** Makes the database anew. Throws while another process uses it. */
    recreate: async () => {
      await client.query(`DROP DATABASE ${client.escapeIdentifier(database)}`);
      await client.query(create);
    },
    /** Stops the server, unless other processes still use it. */
    stop: async () => {
      if (kill !== undefined) process.off('exit', kill);
      await client.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK]).catch(() => undefined);
      await stopIfAlone(dataDir, connection);
    },
  };
}

async function exclusively<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('SELECT pg_advisory_lock($1)', [EXCLUSIVE_LOCK]);
  return work().finally(() =>
    client.query('SELECT pg_advisory_unlock($1)', [EXCLUSIVE_LOCK]).catch(() => undefined),
  );
}

/** Holds the lock until the server is gone: a process that comes meanwhile waits for it, then starts another server. */
async function stopIfAlone(dataDir: string, { client, socketDir }: Connection): Promise<boolean> {
  const alone = await client
    .query<{ alone: boolean }>('SELECT pg_try_advisory_lock($1) AS alone', [USERS_LOCK])
    .then(
      ({ rows }) => rows[0]?.alone === true,
      () => true, // the server is gone already
    );
  const postmaster = readPostmaster(dataDir);
  if (alone && postmaster !== undefined) {
    rmSync(socketDir, { recursive: true, force: true }); // now, because the next server makes it anew
    await stopPostmaster(dataDir, postmaster.pid);
  }
  await client.end().catch(() => undefined);
  return alone;
}

/** Connects to the server that runs on the folder already, if one does and answers. */
async function attach(dataDir: string): Promise<Connection | undefined> {
  for (const deadline = Date.now() + ATTACH_TIME; Date.now() < deadline;) {
    const postmaster = readPostmaster(dataDir);
    if (postmaster === undefined) return undefined;
    const client = await connect(dataDir, postmaster.socketDir);
    if (client !== undefined) return { client, socketDir: postmaster.socketDir };
    await sleep(PAUSE);
  }
  return undefined; // the process with this id is something else
}

/** Starts a server, which ends with this process at the latest. */
async function launch(cluster: Cluster): Promise<Connection> {
  startPostmaster(cluster);
  const started = readPostmaster(cluster.dataDir);
  const kill = (): void => {
    if (started && readPostmaster(cluster.dataDir)?.pid === started.pid) process.kill(started.pid, 'SIGINT');
  };
  process.once('exit', kill);
  const connection = await attach(cluster.dataDir);
  if (connection === undefined) throw new EmbeddedPostgresError('The embedded PostgreSQL stopped at once.');
  return { ...connection, kill };
}

async function connect(dataDir: string, socketDir: string): Promise<pg.Client | undefined> {
  if (socketDir === '') return undefined; // the server is about to say where it listens
  const address = { host: socketDir, port: PORT, user: SUPERUSER, database: 'postgres' };
  const client = new pg.Client({ ...address, password: passwordOf(dataDir), ssl: false });
  client.on('error', () => undefined); // a broken connection shows at its next query
  return client.connect().then(
    () => client,
    () => undefined,
  );
}
