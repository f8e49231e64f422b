import { parseArgs } from 'node:util';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { readBuildInfo } from './config/build-info.js';
import { publicAddress } from './config/database-settings.js';
import { ConfigurationError, loadEnvironmentFile, loadSettings, type Settings } from './config/env.js';
import { type Logger, LOGGER } from './config/logger.js';
import { requirePort, stopSignal } from './config/process.js';

const HELP = `Usage: npm start

Serves the API on the configured PostgreSQL until SIGTERM, SIGINT or SIGHUP. Settings come from the environment or the
file .env; .env.example explains each. Exit codes: 0 stopped, 1 start failed, 2 called wrongly.
`;

/** The production start: everything comes from the environment. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help === true) {
    process.stdout.write(HELP);
    return;
  }
  loadEnvironmentFile();
  const settings = loadSettings();
  await requirePort(settings);
  // Loading the application takes a while: faults of the settings are reported before.
  const [{ createApp }, { stopOn }] = await Promise.all([import('./app.js'), import('./shutdown.js')]);
  const app = await createApp(settings);
  void stopOn(stopSignal(1), app, settings);
  // The system drops connections beyond the backlog, whose clients try again after a second.
  await app.listen({ port: settings.port, host: settings.host, backlog: settings.maxConnections });
  logStart(app, settings);
}

/** Logs one line with the build and its settings. Never a secret. */
function logStart(app: NestFastifyApplication, settings: Settings): void {
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

await main().catch((error: unknown) => {
  const { message, code } = error as NodeJS.ErrnoException;
  const isWrongCall = code?.startsWith('ERR_PARSE_ARGS') === true;
  if (!isWrongCall && !(error instanceof ConfigurationError)) throw error;
  const settings = 'See .env.example for every setting; "npm run quickstart" needs none of them.\n';
  process.stderr.write(`${message}\n${isWrongCall ? HELP : settings}`);
  process.exitCode = isWrongCall ? 2 : 1;
});
