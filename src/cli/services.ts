import { NestFactory } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { AuthService } from '../auth/auth.service.js';
import { Tokens } from '../auth/tokens.js';
import { ConfigModule } from '../config/config.module.js';
import { createLogger } from '../config/logger.js';
import type { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { bringUpToDate, withDataSource } from '../database/migrate.js';
import { Unavailable } from '../database/errors.js';
import { ApiKey } from '../keys/key.entity.js';
import { User } from '../users/user.entity.js';
import { UsersService } from '../users/users.service.js';
import { OUTDATED } from './database.js';
import { Failure } from './failures.js';

const READY_TIME = 10_000;

export interface Services {
  readonly auth: AuthService;
  readonly users: UsersService;
  readonly tokens: Tokens;
}

/** Runs the work with the service's own services, without its HTTP side, on a schema that is up to date. */
export async function withServices<T>(
  settings: Settings,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  // The lifecycle does this too, but never gives up: here a failure ends the command.
  const { database } = settings;
  const applied = await withDataSource(database, (source) => bringUpToDate(source, database.migrate));
  if (applied === undefined) throw new Failure(OUTDATED);
  const silent = createLogger({ applicationName: settings.applicationName, logLevel: 'silent' });
  const imports = [ConfigModule.with(settings, silent), DatabaseModule.with([ApiKey, User])];
  const options = { logger: false, abortOnError: false } as const;
  const app = await NestFactory.createApplicationContext({ module: AuthModule, imports }, options);
  try {
    if (!(await app.get(Database).becomesReady(READY_TIME)))
      throw new Unavailable('The database does not get ready: run "npm run cli -- doctor".');
    return await work({ auth: app.get(AuthService), users: app.get(UsersService), tokens: app.get(Tokens) });
  } finally {
    await app.close();
  }
}
