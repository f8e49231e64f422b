// npm run quickstart: from a fresh checkout to a service that answers.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import util from 'node:util'; // by names of it Node 18 would fail before it is refused
import { portFault, readOptions } from './lib/command.mjs';
import { build, install, isBuilt, isInstalled, root, say } from './lib/project.mjs';
import { takeTurn } from './lib/turn.mjs';

const HELP = `Usage: npm run quickstart -- [--port N] [--reset]

Installs and builds where that is needed, starts a PostgreSQL of its own, fills in a demo, and serves on
http://127.0.0.1:8080. Everything it keeps is in the folder .data/. Ctrl-C stops it, and so does closing the terminal.

  --port N    listen on this port; 0 takes a free one (PORT, or 8080)
  --reset     delete the database in .data/ (not that of another PostgreSQL version) and start over
  --help, -h  this

Settings come from the environment or the file .env, as for the service itself (see .env.example), but for those of
the database and the secret, which it has of its own. HOST is 127.0.0.1 and LOG_LEVEL is warn unless given. PG_BIN
names a folder with the programs of a PostgreSQL to use in place of the installed package's.

Example: npm run quickstart -- --port 9000

Exit codes: 0 stopped by Ctrl-C, SIGTERM or SIGHUP, 1 it cannot start, 2 called wrongly, 130 interrupted while starting.
`;

const { port } = readOptions(HELP, { port: { type: 'string' }, reset: { type: 'boolean' } }, portFault);
process.chdir(root);
const endTurn = await takeTurn();
if (!isInstalled() || !isBuilt()) await refuseTakenPort();
if (!isInstalled()) await install();
if (!isBuilt()) await build();
await import('../dist/src/quickstart/main.js');
endTurn();

/** The service looks as well, but only after the minutes that all this may take. */
async function refuseTakenPort() {
  const file = existsSync('.env') ? util.parseEnv(readFileSync('.env', 'utf8')) : {};
  const setting = (name) => process.env[name]?.trim() || file[name]?.trim();
  const wanted = Number(port ?? setting('PORT') ?? 8080);
  const host = setting('HOST') ?? '127.0.0.1';
  if (!(wanted < 65_536) || !(await isTaken(host, wanted))) return;
  const other = (wanted % 65_535) + 1;
  say(`Port ${wanted} is in use on ${host}. Take another one: npm run quickstart -- --port ${other}`);
  process.exit(1);
}

function isTaken(host, wanted) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code }) => resolve(code === 'EADDRINUSE'));
    server.listen({ host, port: wanted }, () => server.close(() => resolve(false)));
  });
}
