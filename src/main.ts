import { createApp } from './app.js';
import { ConfigurationError, loadEnvironmentFile, loadSettings, type Settings } from './config/env.js';
import { stopOnSignals } from './shutdown.js';

/** The production start: everything comes from the environment, and nothing runs beside it. */
async function main(): Promise<void> {
  const settings = readSettings();
  if (settings === undefined) return;
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
