import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { readBuildInfo } from './actuator/info/build-info.js';
import type { Logger } from './config/logger.js';
import { LOGGER, type Settings } from './config/settings.js';
import { publicAddress } from './database/address.js';

/** Logs one line with the build and its settings, once it listens. Never a secret. */
export function logStart(app: NestFastifyApplication, settings: Settings): void {
  const { version, git } = readBuildInfo();
  const { port } = app.getHttpServer().address() as { port: number };
  const { host, database, apiDocs, corsAllowedOrigins, metricsToken } = settings;
  app.get<Logger>(LOGGER).info(
    {
      version,
      commit: git.commit.id,
      node: process.version,
      url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
      database: publicAddress(database.url),
      migrations: database.migrate ? 'applied at the start' : 'left to "npm run cli -- db migrate"',
      apiDocs,
      cors: corsAllowedOrigins.length > 0,
      metricsToken: metricsToken !== undefined,
    },
    'the service has started',
  );
}
