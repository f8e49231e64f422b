import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { ConfigModule } from '../config/config.module.js';
import type { DatabaseSettings } from '../config/database-settings.js';
import { loadSettings, type Settings } from '../config/env.js';
import { createLogger } from '../config/logger.js';
import { type Environment, given } from '../config/variables.js';
import { LedgerClient } from '../database/client.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { Unavailable } from '../database/errors.js';
import { bringUpToDate, withDataSource } from '../database/migrate.js';
import { ApiKey } from '../keys/key.entity.js';
import * as quickstart from '../quickstart/data.js';
import type { EmbeddedPostgres } from '../quickstart/embedded-postgres/embedded-postgres.js';
import { User } from '../users/user.entity.js';
import { Failure } from './failures.js';
import type { Io } from './io.js';

/** Shared by the commands of one call. */
export interface Session {
  readonly io: Io;
  readonly env: Environment;
  readonly dataFolder: string;
  /** Whether the command line asks for the quickstart's database. */
  readonly wantsQuickstart: boolean;
  /** 0, unless a command has found a fault. */
  exitCode: number;
  /** Stopped when the command ends. */
  database?: EmbeddedPostgres;
}

const ADDRESS = ['DB_URL', 'DB_HOST', 'DB_NAME', 'DB_USERNAME', 'DB_PASSWORD', 'DB_PASSWORD_FILE'];

/** Starts the quickstart's database, and names it, when asked to, or when there is one and no variable names another. */
export async function environmentOf(session: Session): Promise<Environment> {
  const { io, env, dataFolder, wantsQuickstart } = session;
  const isThere = quickstart.isSeeded(dataFolder);
  if (!wantsQuickstart && (!isThere || ADDRESS.some((name) => given(env, name)))) return env;
  if (!isThere)
    throw new Failure(`There is no quickstart in ${dataFolder}/: start it once with "npm run quickstart".`);
  quickstart.refuseForeignData(dataFolder, env);
  io.err(`On the quickstart's database in ${dataFolder}/`);
  session.database = await quickstart.startQuickstartDatabase(dataFolder, env);
  return quickstart.quickstartEnvironment(dataFolder, session.database.url, env);
}

/** The settings of {@link environmentOf}, for work that signs nothing: JWT_SECRET may be missing. Throws a ConfigurationError. */
export async function settingsOf(session: Session): Promise<Settings> {
  const env = await environmentOf(session);
  const secret = given(env, 'JWT_SECRET') ?? given(env, 'JWT_SECRET_FILE');
  return loadSettings(secret ? env : { ...env, JWT_SECRET: randomBytes(32).toString('hex') });
}

/** Runs the work on a connection of its own, where no timeout ends a statement. */
export async function withConnection<T>(
  { url, acquireTimeout }: DatabaseSettings,
  name: string,
  work: (client: LedgerClient) => Promise<T>,
): Promise<T> {
  const client = new LedgerClient({
    connectionString: url,
    connectionTimeoutMillis: acquireTimeout,
    application_name: `property-finance ${name}`,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined); // which ends a transaction that has failed
  }
}

/** Throws while migrations are pending, and may not be applied. */
export async function requireSchema(settings: DatabaseSettings, mayMigrate = false): Promise<void> {
  await withDataSource(settings, (source) => bringUpToDate(source, mayMigrate));
}

const READY_TIME = 10_000;

export type Task<T> = (app: INestApplicationContext) => Promise<T>;

/** Runs the work with the service's own services, without its HTTP side, on a schema that is up to date. */
export async function withServices<T>(settings: Settings, work: Task<T>): Promise<T> {
  // The lifecycle does this too, but never gives up: here a failure ends the command.
  await requireSchema(settings.database, settings.database.migrate);
  const silent = createLogger({ applicationName: settings.applicationName, logLevel: 'silent' });
  const imports = [ConfigModule.with(settings, silent), DatabaseModule.with([ApiKey, User])];
  const options = { logger: false, abortOnError: false } as const;
  const app = await NestFactory.createApplicationContext({ module: AuthModule, imports }, options);
  try {
    if (!(await app.get(Database).becomesReady(READY_TIME)))
      throw new Unavailable('The database did not become ready: run "npm run cli -- doctor".');
    return await work(app);
  } finally {
    await app.close();
  }
}
