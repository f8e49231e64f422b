import pg from 'pg';
import { type DataSource, type EntityManager, MigrationExecutor } from 'typeorm';
import type { DatabaseSettings } from '../config/database-settings.js';
import { LedgerClient } from './client.js';
import { createDataSource } from './data-source.js';

const MIGRATION_LOCK = 7_305_002; // any constant will do, so long as nothing else in the database uses it

/**
 * No timeouts of the role or a pooler's session: a migration takes its time, and may wait for another instance. The last two
 * let Citus create triggers, and functions after it has altered tables; PostgreSQL ignores them as unknown settings.
 */
const PARAMETERS = `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL citus.enable_unsafe_triggers TO on; SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`;

const SERVER = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`;
const INSUFFICIENT_PRIVILEGE = '42501';

/** The schema cannot be used as it is; the message says what to do. */
class SchemaError extends Error {}

export interface MigrationStatus {
  readonly name: string;
  /** `unknown`: the database has it, and this version of the service does not. */
  readonly state: 'applied' | 'pending' | 'unknown';
}

/**
 * Applies every missing migration or none, and returns their names. Several may do so at once: one of them does the work.
 * A role without rights on the schema is enough where nothing is missing. Throws for a schema of another version.
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const done = await alone(dataSource, async (executor, migrations) =>
    migrations.some(({ state }) => state === 'pending') ? executor.executePendingMigrations() : [],
  );
  return done.map(({ name }) => name);
}

/** Undoes every migration after `last`, the latest first, or none. Returns their names. Throws where `last` is not applied. */
export async function rollback(dataSource: DataSource, last: string): Promise<string[]> {
  return alone(dataSource, async (executor, migrations) => {
    const applied = migrations.filter(({ state }) => state === 'applied').map(({ name }) => name);
    if (!applied.includes(last))
      throw new SchemaError(`No migration ${last} has been applied: "db status" lists them.`);
    const undone = applied.slice(applied.indexOf(last) + 1).reverse();
    for (let left = undone.length; left > 0; left--) await executor.undoLastMigration();
    return undone;
  });
}

/** Holds the lock in a transaction: it ends with the work, also when the connection breaks, or behind a pooler. */
async function alone<T>(
  dataSource: DataSource,
  work: (executor: MigrationExecutor, migrations: readonly MigrationStatus[]) => Promise<T>,
): Promise<T> {
  return connected(dataSource, () =>
    dataSource.transaction('READ COMMITTED', async (manager) => {
      await manager.query(PARAMETERS);
      await manager.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      const migrations = await statusIn(manager);
      const unknown = migrations.filter(({ state }) => state === 'unknown').map(({ name }) => name);
      // Rows that they have changed may mean something else.
      if (unknown.length > 0)
        throw new SchemaError(
          `The schema has migrations that this version of the service does not know (${unknown.join(', ')}): start the ` +
            'version that has them, or set DB_MIGRATE=false to go on with this one all the same. If they are of an ' +
            'older version, dump the rows and load them into an empty database (docs/operations.md says how).',
        );
      return work(new MigrationExecutor(dataSource, manager.queryRunner), migrations);
    }),
  );
}

/** Migrates where that is allowed, and returns the migrations applied. Throws where some are missing and may not be. */
export async function bringUpToDate(dataSource: DataSource, mayMigrate: boolean): Promise<string[]> {
  if (mayMigrate) return migrate(dataSource);
  if ((await migrationStatus(dataSource)).some(({ state }) => state === 'pending'))
    throw new SchemaError('The schema is not up to date: run "npm run cli -- db migrate".');
  return [];
}

/** All migrations in order, and after them those that only the database knows. Changes nothing. */
export async function migrationStatus(dataSource: DataSource): Promise<MigrationStatus[]> {
  return connected(dataSource, () => statusIn(dataSource.manager));
}

async function statusIn(manager: EntityManager): Promise<MigrationStatus[]> {
  const [table] = await manager.query<{ name: string | null }[]>(`SELECT to_regclass('migrations') AS name`);
  const text = 'SELECT name FROM migrations ORDER BY timestamp, name';
  const rows = table?.name == null ? [] : await manager.query<{ name: string }[]>(text);
  const applied = rows.map(({ name }) => name);
  const known = manager.dataSource.migrations.map(({ name = '' }) => name);
  return [
    ...known.map((name) => ({ name, state: applied.includes(name) ? 'applied' : 'pending' }) as const),
    ...applied.filter((name) => !known.includes(name)).map((name) => ({ name, state: 'unknown' }) as const),
  ];
}

async function connected<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  if (!dataSource.isInitialized) await dataSource.initialize();
  try {
    const [server] = await dataSource.query<[{ version: number; encoding: string }]>(SERVER);
    if (server.version < 150_000) throw new Error('PostgreSQL is too old');
    if (server.encoding !== 'UTF8') throw new Error('the encoding is not UTF8');
    return await work();
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string };
    if (code !== INSUFFICIENT_PRIVILEGE) throw cause;
    throw new SchemaError(
      `The schema is not up to date, or closed to this role (${message}): run "npm run cli -- db migrate" as the owner ` +
        'of the schema. The rights that the service needs are in docs/security.md.',
      { cause },
    );
  }
}

/** Work on the schema without the service, on a connection of its own. */
export async function withDataSource<T>(
  { url, acquireTimeout }: DatabaseSettings,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({
    Client: LedgerClient,
    connectionString: url,
    connectionTimeoutMillis: acquireTimeout,
    application_name: 'property-finance migration',
    max: 1,
  }).on('error', () => undefined);
  try {
    return await work(await createDataSource(pool, []));
  } finally {
    await pool.end();
  }
}
