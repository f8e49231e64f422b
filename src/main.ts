import { ConfigurationError, loadEnvironmentFile, loadSettings, type Settings } from './config/env.js';
import { obstacleAt } from './port.js';

/** The production start: everything comes from the environment, and nothing runs beside it. */
async function main(): Promise<void> {
  const settings = readSettings();
  if (settings === undefined) return;
  // Only now, for loading the application takes a while: what is wrong with the settings is said at once.
  const [{ createApp }, { stopOnSignals }] = await Promise.all([import('./app.js'), import('./shutdown.js')]);
  const obstacle = await obstacleAt(settings.host, settings.port);
  if (obstacle !== undefined) {
    process.stderr.write(
      `The service cannot listen on port ${settings.port} of ${settings.host}: ${obstacle}\n`,
    );
    process.exitCode = 1;
    return;
  }
  const app = await createApp(settings);
  stopOnSignals(app, settings);
  await app.listen({ port: settings.port, host: settings.host });
}

function readSettings(): Settings | undefined {
  try {
    loadEnvironmentFile();
    return loadSettings();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\nSee .env.example for every setting.\n`);
    process.exitCode = 1;
    return undefined;
  }
}

await main();
