import { parseArgs } from 'node:util';
import { build, install, isBuilt, isInstalled, root } from './project.mjs';

const HELP = `npm run quickstart -- [--port N] [--reset]

Installs and builds where that is needed, starts a PostgreSQL of its own, fills in a demo, and serves on
http://127.0.0.1:8080. Everything it keeps is in the folder .data/. Ctrl-C stops it.

  --port N   listen on this port
  --reset    delete .data/ and start over
  --help     this

Settings come from the environment or the file .env, as for the service itself (see .env.example), but for those of
the database and the secret, which it has of its own. HOST is 127.0.0.1 and LOG_LEVEL is warn unless given. PG_BIN
names a folder with the programs of a PostgreSQL to use in place of the installed package's.
`;

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        reset: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.port !== undefined && !(/^\d{1,5}$/.test(values.port) && Number(values.port) < 65_536))
      throw new Error('--port takes a number from 0 to 65535');
    return values;
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${HELP}`);
    process.exit(2);
  }
}

const { help, port, reset = false } = readOptions();
if (help) {
  process.stdout.write(HELP);
} else {
  process.chdir(root);
  if (!isInstalled()) install();
  if (!isBuilt()) build();
  const { loadEnvironmentFile } = await import('../../dist/src/config/env.js');
  const { quickstart } = await import('../../dist/src/quickstart.js');
  loadEnvironmentFile();
  await quickstart({ port, reset }, process.env);
}
