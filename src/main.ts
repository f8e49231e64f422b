import { parseArgs } from 'node:util';
import { ConfigurationError, loadEnvironmentFile, loadSettings } from './config/env.js';
import { portError, remedyFor } from './port.js';

const HELP = `Usage: npm start

Serves the API on the configured PostgreSQL, and migrates its schema. Settings come from the environment or the file
.env; JWT_SECRET and DB_PASSWORD (or DB_URL) have no default. .env.example explains each. Logs JSON to standard output.

SIGTERM, SIGINT and SIGHUP finish the requests under way first; a second SIGTERM or SIGINT ends the process at once.

Example: JWT_SECRET=$(openssl rand -base64 48) DB_PASSWORD=… npm start
Without a PostgreSQL at hand: npm run quickstart

Exit codes: 0 stopped by a signal, 1 start failed or ended before it had finished, 2 called wrongly.
`;

/** The production start: everything comes from the environment. */
async function main(): Promise<void> {
  if (!isToStart()) return;
  loadEnvironmentFile();
  const settings = loadSettings();
  // Loading the application takes a while: faults of the settings are reported before.
  const [{ createApp }, { DatabaseLifecycle }, { logStart }, { stopOnSignals }] = await Promise.all([
    import('./app.js'),
    import('./database/lifecycle.js'),
    import('./start-report.js'),
    import('./shutdown.js'),
  ]);
  const { host, port } = settings;
  const code = await portError(host, port);
  if (code !== undefined) {
    refuse(1, `The service cannot listen on port ${port} of ${host} (${code}): ${remedyFor(code, port)}`);
    return;
  }
  const app = await createApp(settings);
  void app.get(DatabaseLifecycle).refusal.then(() => process.exit(1)); // the log says why
  stopOnSignals(app, settings);
  await app.listen({ port, host });
  logStart(app, settings);
}

/** Answers --help, and refuses unknown options. */
function isToStart(): boolean {
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help === true) process.stdout.write(HELP);
    return values.help !== true;
  } catch (error) {
    refuse(2, `${(error as Error).message}\n"npm start -- --help" says more.`);
    return false;
  }
}

function refuseSettings(error: unknown): void {
  if (!(error instanceof ConfigurationError)) throw error;
  refuse(1, `${error.message}\nSee .env.example for every setting; "npm run quickstart" needs none of them.`);
}

function refuse(exitCode: number, message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCode;
}

await main().catch(refuseSettings);
