import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { MIGRATIONS } from '../../migrations/all.js';
import type { DatabaseSettings } from '../config/env.js';
import { migrationOptions } from './data-source.js';

/** How many make up the schema. */
export const MIGRATION_COUNT = MIGRATIONS.length;

/** Any constant will do, so long as nothing else in the database uses it. */
const MIGRATION_LOCK = 7_305_002;

/** Whatever the role or a pooler's session has: a migration takes its time, and may wait for another instance. */
const UNHURRIED =
  'SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';

const INSUFFICIENT_PRIVILEGE = '42501';

/** The role may not do to the schema what is to be done. */
export class SchemaRightsError extends Error {
  constructor(cause: Error) {
    super(
      `The schema is not up to date, or closed to this role (${cause.message}): run "npm run cli -- db migrate" ` +
        'as the owner of the schema. The rights that the service needs are in docs/security.md.',
      { cause },
    );
  }
}

/** The database has migrations that this version of the service does not know: its rows may mean something else. */
export class UnknownSchemaError extends Error {
  constructor(readonly unknown: readonly string[]) {
    super(
      isFromBefore(unknown)
        ? `The schema is older than the first migration of this version (it begins with ${unknown[0]}), and cannot be ` +
            'brought up to date: dump its rows and load them into an empty database (docs/operations.md says how).'
        : `The schema is newer than this version of the service, which does not know ${unknown.join(', ')}: start the ` +
            'version that has migrated it, or set DB_MIGRATE=false to go on with this one all the same.',
    );
  }
}

/** Whether the names are those of migrations that came before all of these, and are no longer part of the service. */
export function isFromBefore(unknown: readonly string[]): boolean {
  const stamp = (name = ''): number => Number(/\d*$/.exec(name)?.[0]);
  return unknown.length > 0 && stamp(unknown[0]) < stamp(MIGRATIONS[0]?.name);
}

export interface MigrationStatus {
  readonly name: string;
  /** `unknown`: the database has it, and this version of the service does not. */
  readonly state: 'applied' | 'pending' | 'unknown';
}

/** Does the work of a migration, and may say so. */
export type Around = (name: string, work: () => Promise<void>) => Promise<void>;

const SILENTLY: Around = (_, work) => work();

/**
 * Applies what is missing and returns the names. Several may do so at once: each migration is applied by one of them.
 * A role without rights on the schema is enough where nothing is missing. Throws {@link SchemaRightsError} and
 * {@link UnknownSchemaError}.
 */
export async function migrate(settings: DatabaseSettings, around: Around = SILENTLY): Promise<string[]> {
  return withMigrations(settings, async (dataSource) => {
    for (const migration of dataSource.migrations) {
      const up = migration.up.bind(migration);
      migration.up = (runner) => around(migration.name ?? '', () => up(runner) as Promise<void>);
    }
    const applied: string[] = [];
    for (let name = await applyNext(dataSource); name !== undefined; name = await applyNext(dataSource))
      applied.push(name);
    return applied;
  });
}

/** Undoes every migration behind `last`, the latest first. Returns their names. Throws {@link UnknownSchemaError}. */
export async function rollback(settings: DatabaseSettings, last: string): Promise<string[]> {
  return withMigrations(settings, async (dataSource) => {
    const undone: string[] = [];
    for (
      let name = await undoLast(dataSource, last);
      name !== undefined;
      name = await undoLast(dataSource, last)
    )
      undone.push(name);
    return undone;
  });
}

/** Applies the first migration that is missing, and returns its name. */
function applyNext(dataSource: DataSource): Promise<string | undefined> {
  return locked(dataSource, async (executor) => {
    const [next] = await executor.getPendingMigrations();
    if (next === undefined) return undefined;
    await executor.executeMigration(next);
    return next.name;
  });
}

/** Undoes the latest migration and returns its name, unless it is the `last` that shall stay. */
function undoLast(dataSource: DataSource, last: string): Promise<string | undefined> {
  return locked(dataSource, async (executor, migrations) => {
    const latest = migrations.findLast(({ state }) => state === 'applied')?.name;
    if (latest === undefined || latest === last) return undefined;
    await executor.undoLastMigration();
    return latest;
  });
}

/**
 * Work on the schema in a transaction that holds the lock, so that the lock lasts as long as the work and not a moment
 * longer: also behind a pooler, which may give the next transaction another session, and also when the connection breaks.
 */
async function locked<T>(
  dataSource: DataSource,
  work: (executor: MigrationExecutor, migrations: readonly MigrationStatus[]) => Promise<T>,
): Promise<T> {
  return dataSource.transaction('READ COMMITTED', async ({ queryRunner }) => {
    if (queryRunner === undefined) throw new Error('a transaction without its query runner');
    await queryRunner.query(UNHURRIED);
    await queryRunner.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const migrations = await statusIn(dataSource, queryRunner);
    const unknown = migrations.filter(({ state }) => state === 'unknown');
    if (unknown.length > 0) throw new UnknownSchemaError(unknown.map(({ name }) => name));
    return work(new MigrationExecutor(dataSource, queryRunner), migrations);
  });
}

/** What a start does: migrates if it may. Returns what was applied, or undefined when it may not and would have to. */
export async function bringUpToDate(
  settings: DatabaseSettings,
  around?: Around,
): Promise<string[] | undefined> {
  if (settings.migrate) return migrate(settings, around);
  return (await migrationStatus(settings)).some(({ state }) => state === 'pending') ? undefined : [];
}

/** All migrations in order, and behind them those that only the database knows. Changes nothing. */
export async function migrationStatus(settings: DatabaseSettings): Promise<MigrationStatus[]> {
  return withMigrations(settings, (dataSource) => statusIn(dataSource));
}

async function statusIn(dataSource: DataSource, runner?: QueryRunner): Promise<MigrationStatus[]> {
  const [{ present }] = await dataSource.query<[{ present: boolean }]>(
    `SELECT to_regclass('migrations') IS NOT NULL AS present`,
    [],
    runner,
  );
  const rows = present
    ? await dataSource.query<{ name: string }[]>(
        'SELECT name FROM migrations ORDER BY timestamp, name',
        [],
        runner,
      )
    : [];
  const applied = new Set(rows.map((row) => row.name));
  const known = dataSource.migrations.map(({ name = '' }) => name);
  return [
    ...known.map((name) => ({
      name,
      state: applied.has(name) ? ('applied' as const) : ('pending' as const),
    })),
    ...[...applied]
      .filter((name) => !known.includes(name))
      .map((name) => ({ name, state: 'unknown' as const })),
  ];
}

async function withMigrations<T>(
  settings: DatabaseSettings,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const dataSource = await new DataSource(migrationOptions(settings)).initialize();
  try {
    return await work(dataSource);
  } catch (error) {
    const { code } = error as { code?: string };
    throw code === INSUFFICIENT_PRIVILEGE ? new SchemaRightsError(error as Error) : error;
  } finally {
    await dataSource.destroy();
  }
}
