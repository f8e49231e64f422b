// npm run quickstart: from a fresh checkout to a service that answers.
import { portFault, readOptions } from './lib/command.mjs';
import { build, install, isBuilt, isInstalled, root } from './lib/project.mjs';

const HELP = `Usage: npm run quickstart -- [--port N] [--reset]

Installs and builds where that is needed, starts a PostgreSQL of its own, fills in a demo, and serves on
http://127.0.0.1:8080. Everything it keeps is in the folder .data/. Ctrl-C stops it, and so does closing the terminal.

  --port N    listen on this port; 0 takes a free one (PORT, or 8080)
  --reset     delete the database in .data/ (not that of another PostgreSQL version) and start over
  --help, -h  this

Settings come from the environment or the file .env, as for the service itself (see .env.example), but for those of
the database and the secret, which it has of its own. HOST is 127.0.0.1 and LOG_LEVEL is warn unless given. PG_BIN
names a folder with the programs of a PostgreSQL to use in place of the installed package's.

Exit codes: 0 stopped by a signal, 1 it cannot start, 2 called wrongly, 130 interrupted while starting.
`;

const { port } = readOptions(HELP, { port: { type: 'string' }, reset: { type: 'boolean' } }, portFault);
if (port !== undefined) process.env.PORT = port;
process.chdir(root);
if (!isInstalled()) await install();
if (!isBuilt()) await build();
await import('../dist/src/quickstart/main.js');
