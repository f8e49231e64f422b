import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { portFault, readOptions } from './command.mjs';
import { DevService } from './dev-service.mjs';
import { duration, install, isInstalled, root, say } from './project.mjs';
import { onChanges } from './watch.mjs';

const HELP = `Usage: npm run dev -- [--port N] [--reset] [--types]

Serves as "npm run quickstart" does, on the same data in .data/, and starts the service again when a file of src/ or
migrations/, or .env, has changed: that takes about two seconds. PostgreSQL stays up meanwhile. A file that cannot be
compiled is told of, and the service goes on as it was. Ctrl-C stops everything.

  --port N    listen on this port (PORT, or 8080)
  --reset     delete .data/ and start over
  --types     check the types beside it, and tell of what is wrong with them a few seconds later
  --help, -h  this

Settings are those of the quickstart: see "npm run quickstart -- --help".

Example: LOG_LEVEL=debug npm run dev -- --types

Exit codes: 0 stopped by Ctrl-C or SIGTERM, 1 it failed, 2 called wrongly.
`;

/** Out of the way of dist/, which "npm start" and the command line use, and beside the packages that it imports. */
const FOLDER = join(root, 'node_modules/.cache/dev');

/** Under npm one Ctrl-C arrives twice: from the terminal, and from npm, which passes it on. Milliseconds. */
const ECHO_TIME = 500;

const options = readOptions(
  HELP,
  { port: { type: 'string' }, reset: { type: 'boolean' }, types: { type: 'boolean' } },
  portFault,
);
process.chdir(root);
if (!isInstalled()) install();

const { Compiler } = await import('./compiler.mjs'); // which imports a package
const compiler = new Compiler(root, FOLDER);
const service = new DevService(FOLDER, options);
let stoppedAt = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

/** What has other code than the service that runs. */
const pending = new Set();
if (compile()) {
  pending.clear();
  await service.restart();
}
say('Waiting for changes of src/, migrations/ and .env. Ctrl-C stops.');
if (options.types) checkTypes();
onChanges(root, reload);
if (compile() && pending.size > 0) await reload(Date.now(), false); // what has changed while it was starting

async function reload(since, isEnvironment) {
  if (!compile() || (pending.size === 0 && !isEnvironment && service.isRunning)) return;
  const names = [...pending, ...(isEnvironment ? ['.env'] : [])];
  pending.clear();
  if (!(await service.restart())) return;
  const what = names.length > 3 ? `${names.length} files` : names.join(', ') || 'nothing new';
  say(`Reloaded in ${duration(Date.now() - since)} (${what})`);
}

/** False, with the reasons told, when there are files that cannot be compiled. */
function compile() {
  const { changed, faults } = compiler.update();
  for (const source of changed) pending.add(source);
  for (const { fault } of faults) say(`\nNot compiled: ${fault}`);
  if (faults.length > 0) say(service.isRunning ? 'The service goes on as it was.' : 'Waiting for a change.');
  return faults.length === 0;
}

async function stop() {
  if (Date.now() - stoppedAt < ECHO_TIME) return;
  stoppedAt = Date.now();
  const { speaks } = service;
  if (!speaks) say('\nStopping …');
  await service.stop();
  if (!speaks) say('Stopped. The data are kept in .data/.');
  process.exit();
}

function checkTypes() {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = ['--noEmit', '--watch', '--preserveWatchOutput', '-p', 'tsconfig.build.json'];
  const child = spawn(process.execPath, [tsc, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  process.on('exit', () => child.kill());
}
