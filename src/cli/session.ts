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

/** What the commands of one call share. */
export interface Session {
  readonly io: Io;
  readonly env: Environment;
  /** The folder of a quickstart's data. */
  readonly dataFolder: string;
  readonly isQuickstart: boolean;
  /** 0, unless a command has found a fault. */
  exitCode: number;
}

const ADDRESS = ['DB_URL', 'DB_HOST', 'DB_NAME', 'DB_USERNAME', 'DB_PASSWORD', 'DB_PASSWORD_FILE'];

/** Works on the quickstart's database if asked to, or where there is one and no variable names another. */
export function openSession(io: Io, env: Environment, dataFolder: string, asked: boolean): Session {
  const isQuickstart = asked || (isSeeded(dataFolder) && !ADDRESS.some((name) => given(env, name)));
  return { io, env, dataFolder, isQuickstart, exitCode: 0 };
}

/** Runs the work with the session's environment. The quickstart's database runs meanwhile. */
export async function withEnvironment<T>(
  { io, env, dataFolder, isQuickstart }: Session,
  work: (env: Environment) => Promise<T>,
): Promise<T> {
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
