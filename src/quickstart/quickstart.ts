import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../app.js';
import { Failure } from '../cli/failures.js';
import { loadSettings, type Settings } from '../config/env.js';
import { localUrl, requirePort } from '../config/process.js';
import type { Environment } from '../config/variables.js';
import { Database } from '../database/database.js';
import { migrate, withDataSource } from '../database/migrate.js';
import * as data from './data.js';
import { seedDemo } from './demo/seed.js';

const READY_TIME = 60_000;

export interface StartOptions {
  readonly say?: (text: string) => void;
  /** Delete what is there first. */
  readonly reset?: boolean;
  /** Aborted to give up the start at its next step. */
  readonly signal?: AbortSignal;
}

/** The service and its database, which both run, and the accounts of a demo that was just filled in. */
export type Quickstart = Awaited<ReturnType<typeof startQuickstart>>;

/** Starts database and service on the data in the folder. When it throws, neither runs. */
export async function startQuickstart(
  folder: string,
  env: Environment,
  { say, reset = false, signal }: StartOptions = {},
) {
  await requirePort(data.listenSettings(env)); // before anything is deleted or made
  if (!reset) data.refuseForeignData(folder, env);
  else if (!(await data.deleteData(folder, env))) throw inUse(folder);
  const step = (title: string): void => {
    signal?.throwIfAborted();
    say?.(`${title} …\n`);
  };
  step(data.isSeeded(folder) ? 'Starting PostgreSQL' : `Creating a PostgreSQL in ${folder}/ and starting it`);
  const database = await data.startQuickstartDatabase(folder, env);
  let app: NestFastifyApplication | undefined;
  try {
    // Of two first starts at once the second finds the demo of the first.
    return await database.exclusively(async () => {
      const isFirst = !data.isSeeded(folder);
      // What an interrupted first start has left
      if (isFirst) await database.recreate().catch(() => Promise.reject(inUse(folder)));
      const settings = loadSettings(data.quickstartEnvironment(folder, database.url, env));
      step('Bringing the schema up to date');
      await withDataSource(settings.database, migrate);
      app = await createApp(settings);
      const url = await listen(app, settings);
      if (isFirst) step('Filling in the demo');
      const accounts = isFirst ? await seedDemo(app, new Date(), signal) : undefined;
      signal?.throwIfAborted(); // before anybody has seen the passwords
      if (isFirst) data.markSeeded(folder);
      return { app, settings, database, url, accounts };
    });
  } catch (error) {
    await app?.close();
    await database.stop();
    throw error;
  }
}

function inUse(folder: string): Failure {
  return new Failure(`Another process uses the database in ${folder}/: stop it first.`);
}

/** The URL of the service, once it is ready. */
async function listen(app: NestFastifyApplication, { host, port }: Settings): Promise<string> {
  await app.listen({ host, port });
  if (!(await app.get(Database).becomesReady(READY_TIME)))
    throw new Failure('The database did not become ready; the log above says why.');
  return localUrl(host, (app.getHttpServer().address() as { port: number }).port);
}
