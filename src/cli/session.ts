import { randomBytes } from 'node:crypto';
import { loadSettings, type Settings } from '../config/env.js';
import { type Environment, given } from '../config/variables.js';
import {
  isSeeded,
  quickstartEnvironment,
  refuseForeignData,
  startQuickstartDatabase,
} from '../quickstart/data.js';
import { Failure } from './failures.js';
import type { Io } from './io.js';

/** Shared by the commands of one call. */
export interface Session {
  readonly io: Io;
  readonly env: Environment;
  /** The folder of a quickstart's data. */
  readonly dataFolder: string;
  /** Whether the command line asks for the quickstart's database. */
  readonly wantsQuickstart: boolean;
  /** 0, unless a command has found a fault. */
  exitCode: number;
}

const ADDRESS = ['DB_URL', 'DB_HOST', 'DB_NAME', 'DB_USERNAME', 'DB_PASSWORD', 'DB_PASSWORD_FILE'];

/**
 * Runs the work with the session's environment. On the quickstart's database, which runs meanwhile, where that is asked
 * for, or where there is one and no variable names another.
 */
export async function withEnvironment<T>(
  { io, env, dataFolder, wantsQuickstart }: Session,
  work: (env: Environment) => Promise<T>,
): Promise<T> {
  const isThere = isSeeded(dataFolder);
  if (!wantsQuickstart && (!isThere || ADDRESS.some((name) => given(env, name)))) return work(env);
  if (!isThere)
    throw new Failure(`There is no quickstart in ${dataFolder}/: start it once with "npm run quickstart".`);
  refuseForeignData(dataFolder, env);
  io.err(`On the quickstart's database in ${dataFolder}/`);
  const database = await startQuickstartDatabase(dataFolder, env);
  try {
    return await work(quickstartEnvironment(dataFolder, database.url, env));
  } finally {
    await database.stop();
  }
}

/** The same with the settings, for work that signs nothing: JWT_SECRET may be missing. Throws a ConfigurationError. */
export async function withSettings<T>(
  session: Session,
  work: (settings: Settings) => Promise<T>,
): Promise<T> {
  return withEnvironment(session, (env) => {
    const secret = given(env, 'JWT_SECRET') ?? given(env, 'JWT_SECRET_FILE');
    return work(loadSettings(secret ? env : { ...env, JWT_SECRET: randomBytes(32).toString('hex') }));
  });
}
