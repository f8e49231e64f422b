// npm run dev: the quickstart's service, started again with every change of the sources.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { portFault, readOptions } from './lib/command.mjs';
import { install, isInstalled, root } from './lib/project.mjs';
import { takeTurn } from './lib/turn.mjs';

const HELP = `Usage: npm run dev -- [--port N]

Serves as "npm run quickstart" does, on the same data in .data/, checks the types beside it, and starts again when a
file of src/ or migrations/ has changed, which takes about three seconds. A file that cannot be compiled is told of,
and the service goes on as it was. Ctrl-C stops everything.

  --port N    listen on this port (PORT, or 8080)
  --help, -h  this

Settings are those of the quickstart: see "npm run quickstart -- --help".

Example: LOG_LEVEL=debug npm run dev

Exit codes: 0 stopped by Ctrl-C or SIGTERM, 1 it failed, 2 called wrongly.
`;

const { port } = readOptions(HELP, { port: { type: 'string' } }, portFault);
process.chdir(root);
const endTurn = await takeTurn();
if (!isInstalled()) await install();
endTurn();
const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
const args = ['start', '--watch', '--entryFile', 'src/quickstart/main'];
const env = port === undefined ? process.env : { ...process.env, PORT: port };
const child = spawn(process.execPath, [nest, ...args], { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
child.once('exit', (code) => process.exit(code ?? 1));
