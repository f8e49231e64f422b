import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { readBuildInfo } from './actuator/info/build-info.js';
import type { Logger } from './config/logger.js';
import { LOGGER, type Settings } from './config/settings.js';
import { publicAddress } from './database/address.js';

/** One line of the log that tells what has been started and with what, once it listens. Never a secret. */
export function logStart(app: NestFastifyApplication, settings: Settings): void {
  const { version, git } = readBuildInfo();
  const { port } = app.getHttpServer().address() as { port: number };
  const { host, database, apiDocs, corsAllowedOrigins, metricsToken } = settings;
  const switches = {
    apiDocs,
    cors: corsAllowedOrigins.length > 0,
    metricsToken: metricsToken !== undefined,
  };
  app.get<Logger>(LOGGER).info(
    {
      version,
      commit: git.commit.id,
      node: process.version,
      url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
      database: publicAddress(database.url),
      migrations: database.migrate ? 'applied at the start' : 'left to "npm run cli -- db migrate"',
      on: namesOf(switches, true),
      off: namesOf(switches, false),
    },
    'the service has started',
  );
}

function namesOf(switches: Readonly<Record<string, boolean>>, state: boolean): string[] {
  return Object.entries(switches).flatMap(([name, isOn]) => (isOn === state ? [name] : []));
}
