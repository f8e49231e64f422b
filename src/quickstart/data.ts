import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings, type Settings } from '../config/env.js';
import type { Environment } from '../config/variables.js';
import { EmbeddedPostgresError, findBinaries } from './embedded-postgres/binaries.js';
import { makeSecret } from './embedded-postgres/cluster.js';
import {
  deleteCluster,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded-postgres/embedded-postgres.js';

/** The quickstart's files in the working directory: its database, its secret, and whether the demo is complete. */
export const DATA_FOLDER = '.data';
const DATABASE = 'property_finance';

/** Variables that the quickstart's own database and secret replace. */
const REPLACED = /^(JWT_SECRET|DB_(URL|HOST|PORT|NAME|USERNAME|PASSWORD(_FILE)?|MIGRATE|SSLMODE|SSL_CA)$)/;

/** Starts the database in the folder, or joins the process that has. */
export async function startQuickstartDatabase(folder: string, env: Environment): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir: folder, database: DATABASE, environment: env });
}

/** Throws where the folder holds the data of another version of PostgreSQL, and none that the programs here can read. */
export function refuseForeignData(folder: string, env: Environment): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const majors = names.flatMap((name) => /^pg(\d+)$/.exec(name)?.[1] ?? []);
  const { major } = findBinaries(env);
  const [foreign] = majors;
  if (foreign === undefined || majors.includes(String(major))) return;
  throw new EmbeddedPostgresError(
    `${folder}/pg${foreign} holds the data of a PostgreSQL ${foreign}, which PostgreSQL ${major} cannot read. Go on with ` +
      `them by naming the programs of PostgreSQL ${foreign}: PG_BIN=/usr/lib/postgresql/${foreign}/bin npm run quickstart\n` +
      'Or begin anew beside them, which leaves them as they are: npm run quickstart -- --reset',
  );
}

/** The environment for the service on that database. A port, a log level and the like are taken as they are given. */
export function quickstartEnvironment(folder: string, databaseUrl: string, env: Environment): Environment {
  mkdirSync(folder, { recursive: true });
  const JWT_SECRET_FILE = makeSecret(join(folder, 'secret'));
  return { ...withDefaults(env), JWT_SECRET_FILE, DB_URL: databaseUrl };
}

/** Where the service will listen, without a database yet. Throws a ConfigurationError. */
export function listenSettings(env: Environment): Pick<Settings, 'host' | 'port'> {
  const JWT_SECRET = randomBytes(48).toString('base64');
  return loadSettings({ ...withDefaults(env), JWT_SECRET, DB_PASSWORD: 'none' });
}

function withDefaults(env: Environment): Environment {
  const given = Object.entries(env).filter(([name, value]) => value?.trim() && !REPLACED.test(name));
  return {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    SHUTDOWN_DELAY: '0s', // nobody balances to it
    API_DOCS: 'true',
    ...Object.fromEntries(given),
  };
}

/** Deletes the quickstart's files. Returns false, and leaves all of them, while another process uses them. */
export async function deleteData(folder: string, env: Environment): Promise<boolean> {
  if (!(await deleteCluster(folder, env))) return false;
  for (const file of [join(folder, 'secret'), marker(folder)]) rmSync(file, { force: true });
  return true;
}

const marker = (folder: string): string => join(folder, 'demo');

/** Whether the demo was served once. Until then the folder holds nothing worth keeping. */
export const isSeeded = (folder: string): boolean => existsSync(marker(folder));

export function markSeeded(folder: string): void {
  writeFileSync(marker(folder), `The demo was filled in at ${new Date().toISOString()}.\n`);
}
