import { resolve } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.js';
import { ConfigurationError, loadSettings, type Settings } from './config/env.js';
import { Database } from './database/database.js';
import { EmbeddedPostgresError } from './database/embedded/binaries.js';
import { deleteData, type EmbeddedPostgres } from './database/embedded/embedded-postgres.js';
import { type DemoAccount, seedDemo } from './demo/seed.js';
import { obstacleAt } from './port.js';
import { banner } from './quickstart-banner.js';
import {
  DATA_FOLDER,
  type Environment,
  isSeeded,
  markSeeded,
  quickstartEnvironment,
  startQuickstartDatabase,
} from './quickstart-data.js';
import { stopOnSignals } from './shutdown.js';

export interface QuickstartOptions {
  /** Delete what is there, and start over. */
  readonly reset: boolean;
  readonly port?: string | undefined;
}

const MIGRATION_TIME = 60_000;
const INTERRUPTED = 130;

/** A start that cannot go on for a reason that the message tells in full. */
class Refusal extends Error {}

/**
 * The service with a database, a secret and data of its own, all under `.data/` in the working directory.
 * Serves until a signal comes; when it cannot start, it says why and leaves nothing running.
 */
export async function quickstart({ reset, port }: QuickstartOptions, env: Environment): Promise<void> {
  const interrupt = (): never => process.exit(INTERRUPTED); // and with it goes the database
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    if (reset) await startOver(DATA_FOLDER);
    const given = port === undefined ? env : { ...env, PORT: port };
    const { app, settings, url, database, accounts } = await startQuickstart(DATA_FOLDER, given);
    stopOnSignals(app, settings, () => database.stop());
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    process.stdout.write(banner({ url, folder: resolve('.'), accounts, now: new Date() }));
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}

export interface Quickstart {
  readonly app: NestFastifyApplication;
  readonly settings: Settings;
  readonly database: EmbeddedPostgres;
  readonly url: string;
  /** When the demo has been filled in just now. */
  readonly accounts: readonly DemoAccount[] | undefined;
}

/** Starts database and service on the data in the folder. When it throws, neither runs. */
export async function startQuickstart(folder: string, env: Environment): Promise<Quickstart> {
  if (!isSeeded(folder)) await startOver(folder); // what an interrupted first start has left
  const database = await startQuickstartDatabase(folder, env);
  let app: NestFastifyApplication | undefined;
  try {
    const settings = loadSettings(quickstartEnvironment(folder, database.url, env));
    app = await createApp(settings);
    const url = await listen(app, settings);
    if (!(await app.get(Database).becomesReady(MIGRATION_TIME)))
      throw new Refusal('The database does not get ready; the log above says why.');
    const accounts = isSeeded(folder) ? undefined : await seedDemo(app, new Date());
    if (accounts !== undefined) markSeeded(folder);
    return { app, settings, database, url, accounts };
  } catch (error) {
    await app?.close();
    await database.stop();
    throw error;
  }
}

async function startOver(folder: string): Promise<void> {
  if (!(await deleteData(folder)))
    throw new Refusal(`Another process uses the database in ${folder}/: stop it first.`);
}

/** Looks at the port first: Nest would log what goes wrong, in its own words. */
async function listen(app: NestFastifyApplication, { host, port }: Settings): Promise<string> {
  const obstacle = await obstacleAt(host, port);
  if (obstacle === 'EADDRINUSE') {
    const other = (port % 65_535) + 1;
    throw new Refusal(
      `Port ${port} is in use on ${host}. Take another one: npm run quickstart -- --port ${other}`,
    );
  }
  if (obstacle !== undefined)
    throw new Refusal(`The service cannot listen on port ${port} of ${host}: ${obstacle}`);
  await app.listen({ host, port });
  const bound = app.getHttpServer().address() as { port: number };
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${bound.port}`;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM')
    return `${error.message}. Does ${DATA_FOLDER}/ belong to another user?`;
  const isPlain = [Refusal, ConfigurationError, EmbeddedPostgresError].some((type) => error instanceof type);
  return isPlain ? error.message : (error.stack ?? error.message);
}
