import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../app.js';
import { describeFailure, Failure, INTERRUPTED } from '../cli/failures.js';
import { loadSettings, type Settings } from '../config/env.js';
import { STOP_SIGNALS } from '../config/signals.js';
import type { Environment } from '../config/variables.js';
import { Database } from '../database/database.js';
import { migrate } from '../database/migrate.js';
import { portFault } from '../port.js';
import { stopOnSignals } from '../shutdown.js';
import { banner, type Started } from './banner.js';
import {
  DATA_FOLDER,
  deleteData,
  isSeeded,
  listenSettings,
  markSeeded,
  quickstartEnvironment,
  refuseForeignData,
  startQuickstartDatabase,
} from './data.js';
import { seedDemo } from './demo/seed.js';
import type { EmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';

export interface QuickstartOptions {
  /** Delete what is there, and start over. */
  readonly reset: boolean;
  readonly port?: string | undefined;
}

const READY_TIME = 60_000;

/**
 * The service with a database, a secret and data of its own, all under `.data/` in the working directory.
 * Serves until a signal comes; when it cannot start, it says why and leaves nothing running.
 */
export async function quickstart({ reset, port }: QuickstartOptions, env: Environment): Promise<void> {
  const { stdout, stderr } = process;
  // A closed terminal takes no words, and its closing is a stop all the same.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  const say = (text: string): void => void stderr.write(text);
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  // Not once: under npm one Ctrl-C arrives twice, and the second would find nobody to listen, and end it at once.
  for (const signal of STOP_SIGNALS) process.on(signal, interrupt);
  try {
    const given = port === undefined ? env : { ...env, PORT: port };
    const options = { step: stepsOn(stderr), reset, signal: interruption.signal };
    const started = await startQuickstart(DATA_FOLDER, given, options);
    stopOnSignals(started.app, started.settings, async () => {
      await started.database.stop();
      say(`Stopped. The data are kept in ${DATA_FOLDER}/.\n`);
    });
    for (const signal of STOP_SIGNALS) process.off(signal, interrupt);
    process.once('SIGINT', () => say('\nStopping …\n')).once('SIGTERM', () => say('Stopping …\n'));
    stdout.write(banner(started));
  } catch (error) {
    const isInterrupted = interruption.signal.aborted;
    say(isInterrupted ? '\nInterrupted: nothing is left running.\n' : `${explain(error)}\n`);
    process.exit(isInterrupted ? INTERRUPTED : 1); // and with it goes a database that was starting
  }
}

/** Work that may take a while. */
type Step = <T>(title: string, work: () => Promise<T>) => Promise<T>;

/** Writes the title and, once the work is done, how long it took. */
function stepsOn(output: NodeJS.WritableStream): Step {
  return async (title, work) => {
    const start = performance.now();
    output.write(`${title} … `);
    const result = await work().catch((error: unknown) => {
      output.write('failed\n');
      throw error;
    });
    output.write(`${((performance.now() - start) / 1000).toFixed(1)} s\n`);
    return result;
  };
}

export interface Quickstart extends Started {
  readonly app: NestFastifyApplication;
}

export interface StartOptions {
  readonly step?: Step;
  /** Delete what is there first. */
  readonly reset?: boolean;
  /** Aborted when the start shall be given up. */
  readonly signal?: AbortSignal;
}

/** Starts database and service on the data in the folder. When it throws, neither runs. */
export async function startQuickstart(
  folder: string,
  env: Environment,
  { step = (_, work) => work(), reset = false, signal }: StartOptions = {},
): Promise<Quickstart> {
  await refuseUnusablePort(listenSettings(env)); // before anything is deleted or made
  if (!reset) refuseForeignData(folder, env);
  const isFirst = reset || !isSeeded(folder);
  // Also what an interrupted first start has left.
  if (isFirst && !(await deleteData(folder, env)))
    throw new Failure(`Another process uses the database in ${folder}/: stop it first.`);
  const title = isFirst ? `Creating a PostgreSQL in ${folder}/ and starting it` : 'Starting PostgreSQL';
  const starting = step(title, () => startQuickstartDatabase(folder, env));
  const running: Running = { database: await orAborted(signal, starting) };
  try {
    return await orAborted(signal, serve(running, folder, env, step));
  } catch (error) {
    await running.app?.close();
    await running.database.stop();
    throw error;
  }
}

/** What has to be stopped when the start fails. */
interface Running {
  readonly database: EmbeddedPostgres;
  app?: NestFastifyApplication;
}

async function serve(running: Running, folder: string, env: Environment, step: Step): Promise<Quickstart> {
  const { database } = running;
  const settings = loadSettings(quickstartEnvironment(folder, database.url, env));
  await step('Bringing the schema up to date', () => migrate(settings.database));
  const app = (running.app = await createApp(settings));
  const url = await listen(app, settings);
  if (!(await app.get(Database).becomesReady(READY_TIME)))
    throw new Failure('The database does not get ready; the log above says why.');
  if (isSeeded(folder)) return { app, settings, database, url, accounts: undefined };
  const accounts = await step('Filling in the demo', () => seedDemo(app, new Date()));
  markSeeded(folder);
  return { app, settings, database, url, accounts };
}

/** The work, or its end as soon as the signal is aborted, whatever comes of the work then. */
async function orAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    const give = (): void => reject(new Failure('Interrupted'));
    if (signal?.aborted === true) give();
    else signal?.addEventListener('abort', give, { once: true });
  });
  return Promise.race([work, aborted]);
}

/** Nest would log what goes wrong, in its own words. */
async function refuseUnusablePort({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<void> {
  const fault = await portFault(host, port);
  if (fault !== undefined) throw new Failure(fault);
}

/** Looks at the port once more: meanwhile another may have taken it. */
async function listen(app: NestFastifyApplication, settings: Settings): Promise<string> {
  const { host, port } = settings;
  await refuseUnusablePort(settings);
  await app.listen({ host, port });
  const bound = app.getHttpServer().address() as { port: number };
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${bound.port}`;
}

function explain(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  const isClosed = ['EACCES', 'EPERM'].includes(code);
  return describeFailure(error) + (isClosed ? `. Does ${DATA_FOLDER}/ belong to another user?` : '');
}
