import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { ConfigModule } from '../config/config.module.js';
import { createLogger, type Logger } from '../config/logger.js';
import type { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { bringUpToDate } from '../database/migrate.js';
import { Failure } from './errors.js';
import { outdatedSchema } from './require-schema.js';

const READY_TIME = 10_000;

/** It was lost while it was about to be used. */
export class NotReady extends Failure {}

/** Accounts and tokens as the service has them, without its HTTP side. */
@Module({})
class CliModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    return {
      module: CliModule,
      imports: [ConfigModule.with(settings, logger), DatabaseModule, AuthModule],
    };
  }
}

/** Runs the work with the service's own services, on a schema that is up to date. */
export async function withServices<T>(
  settings: Settings,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  // The lifecycle does this too, but tries on for ever: here a failure is the answer.
  if ((await bringUpToDate(settings.database)) === undefined) throw outdatedSchema();
  const silent = createLogger({ applicationName: settings.applicationName, logLevel: 'silent' });
  const services = await NestFactory.createApplicationContext(CliModule.with(settings, silent), {
    logger: false,
    abortOnError: false,
  });
  try {
    if (!(await services.get(Database).becomesReady(READY_TIME)))
      throw new NotReady('The database does not get ready: run "npm run cli -- doctor".');
    return await work(services);
  } finally {
    await services.close();
  }
}
