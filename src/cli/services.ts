import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { ConfigModule } from '../config/config.module.js';
import { createLogger } from '../config/logger.js';
import type { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { bringUpToDate } from '../database/migrate.js';
import { serviceUnavailable } from '../http/problem/problem.js';
import { OUTDATED } from './database.js';
import { Failure } from './failures.js';

const READY_TIME = 10_000;

/** Accounts and tokens as the service has them, without its HTTP side. */
@Module({})
class CliModule {}

/** Runs the work with the service's own services, on a schema that is up to date. */
export async function withServices<T>(
  settings: Settings,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  // The lifecycle does this too, but never gives up: here a failure ends the command.
  if ((await bringUpToDate(settings.database)) === undefined) throw new Failure(OUTDATED);
  const silent = createLogger({ applicationName: settings.applicationName, logLevel: 'silent' });
  const imports = [ConfigModule.with(settings, silent), DatabaseModule, AuthModule];
  const options = { logger: false, abortOnError: false } as const;
  const services = await NestFactory.createApplicationContext({ module: CliModule, imports }, options);
  try {
    if (!(await services.get(Database).becomesReady(READY_TIME)))
      throw serviceUnavailable('The database does not get ready: run "npm run cli -- doctor".');
    return await work(services);
  } finally {
    await services.close();
  }
}
