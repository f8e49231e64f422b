import { parseArgs } from 'node:util';
import { ConfigurationError, loadEnvironmentFile, loadSettings } from './config/env.js';
import { portError, remedyFor } from './port.js';

const HELP = `Usage: npm start

Serves on the PostgreSQL that the settings name, and applies what is missing of its schema. The settings come from
the environment or the file .env: JWT_SECRET and the password of the database (DB_PASSWORD or DB_URL) must be given,
everything else has a default; .env.example explains each. Writes its log to standard output, a JSON object a line.

  --help, -h  this

SIGTERM, SIGINT or SIGHUP: it turns unready, finishes what is under way, and ends. A second one but SIGHUP ends it at
once.

Example: JWT_SECRET=$(openssl rand -base64 48) DB_PASSWORD=… npm start
Without a PostgreSQL at hand: npm run quickstart

Exit codes: 0 stopped by a signal, 1 it cannot start, or was ended before it had finished, 2 called wrongly.
`;

/** The production start: everything comes from the environment, and nothing runs beside it. */
async function main(): Promise<void> {
  if (!isToStart()) return;
  loadEnvironmentFile();
  const settings = loadSettings();
  // Only now, because loading the application takes a while: what is wrong with the settings is said at once.
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

/** Answers --help, and refuses what it does not know. */
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
