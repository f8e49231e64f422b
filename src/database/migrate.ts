import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/all.js';
import type { DatabaseSettings } from '../config/env.js';
import { migrationOptions } from './data-source.js';

/** How many make up the schema. */
export const MIGRATION_COUNT = MIGRATIONS.length;

/** Any constant will do, so long as nothing else in the database uses it. */
const MIGRATION_LOCK = 7_305_002;

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

/** Does the work of a migration, and may say so. */
export type Around = (name: string, work: () => Promise<void>) => Promise<void>;

const SILENTLY: Around = (_, work) => work();

/**
 * Applies what is missing and returns the names. TypeORM takes no lock of its own: without this one, two
 * instances that start together both migrate. A role without rights on the schema is enough where nothing is missing.
 * Throws {@link SchemaRightsError}.
 */
export async function migrate(settings: DatabaseSettings, around: Around = SILENTLY): Promise<string[]> {
  return withMigrations(settings, async (dataSource) => {
    for (const migration of dataSource.migrations) {
      const up = migration.up.bind(migration);
      migration.up = (runner) => around(migration.name ?? '', () => up(runner) as Promise<void>);
    }
    const runner = dataSource.createQueryRunner();
    try {
      await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      return (await dataSource.runMigrations()).map((migration) => migration.name);
    } finally {
      await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
      await runner.release();
    }
  });
}

/** What a start does: migrates if it may. Returns what was applied, or undefined when it may not and would have to. */
export async function bringUpToDate(
  settings: DatabaseSettings,
  around?: Around,
): Promise<string[] | undefined> {
  if (settings.migrate) return migrate(settings, around);
  return (await migrationStatus(settings)).every(({ applied }) => applied) ? [] : undefined;
}

/** The names of all migrations, in order, and whether each has been applied. Changes nothing. */
export async function migrationStatus(
  settings: DatabaseSettings,
): Promise<{ name: string; applied: boolean }[]> {
  return withMigrations(settings, async (dataSource) => {
    const [{ present }] = await dataSource.query<[{ present: boolean }]>(
      `SELECT to_regclass('migrations') IS NOT NULL AS present`,
    );
    const rows = present ? await dataSource.query<{ name: string }[]>('SELECT name FROM migrations') : [];
    const applied = new Set(rows.map((row) => row.name));
    return dataSource.migrations.map(({ name = '' }) => ({ name, applied: applied.has(name) }));
  });
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
