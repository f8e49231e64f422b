import { randomBytes } from 'node:crypto';
import { loadSettings, type Settings } from '../config/env.js';
import type { Environment } from '../config/variables.js';
import {
  isSeeded,
  quickstartEnvironment,
  refuseForeignData,
  startQuickstartDatabase,
} from '../quickstart/data.js';
import { Failure } from './failures.js';
import type { Io } from './io.js';

/** The database that a command works on. */
export interface Target {
  readonly env: Environment;
  /** The folder of a quickstart's data. */
  readonly dataFolder: string;
  readonly isQuickstart: boolean;
}

/** What the commands of one call share. */
export interface Session {
  readonly io: Io;
  readonly target: Target;
  /** 0, unless a command has found a fault. */
  exitCode: number;
}

const ADDRESS = ['DB_URL', 'DB_HOST', 'DB_NAME', 'DB_USERNAME', 'DB_PASSWORD', 'DB_PASSWORD_FILE'];

/** The quickstart's database on demand, or where there is one and no variable names another. */
export function chooseTarget(asked: boolean, env: Environment, dataFolder: string): Target {
  const isQuickstart = asked || (isSeeded(dataFolder) && !ADDRESS.some((name) => isGiven(env, name)));
  return { env, dataFolder, isQuickstart };
}

/** Work with the target's environment. The quickstart's database runs meanwhile. */
export async function withEnvironment<T>(
  target: Target,
  io: Pick<Io, 'err'>,
  work: (env: Environment) => Promise<T>,
): Promise<T> {
  const { env, dataFolder, isQuickstart } = target;
  if (!isQuickstart) return work(env);
  if (!isSeeded(dataFolder))
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

/** As {@link withEnvironment}, with the settings read. Throws a ConfigurationError. */
export async function withSettings<T>(
  target: Target,
  io: Pick<Io, 'err'>,
  work: (settings: Settings) => Promise<T>,
): Promise<T> {
  return withEnvironment(target, io, (env) => work(loadSettings(env)));
}

/** For work that signs nothing: the secret may be missing. */
export function withoutSecret(target: Target): Target {
  const { env } = target;
  if (isGiven(env, 'JWT_SECRET') || isGiven(env, 'JWT_SECRET_FILE')) return target;
  return { ...target, env: { ...env, JWT_SECRET: randomBytes(32).toString('hex') } };
}

function isGiven(env: Environment, name: string): boolean {
  return (env[name] ?? '').trim() !== '';
}
