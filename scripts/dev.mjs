// npm run dev: the quickstart's service, started again with every change of the sources.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { portFault, readOptions } from './lib/command.mjs';
import { install, isInstalled, root } from './lib/project.mjs';

const HELP = `Usage: npm run dev -- [--port N]

Serves as "npm run quickstart" does, on the same data and with the same settings, checks the types beside it, and starts
again when a file of src/ or migrations/ has changed. Ctrl-C stops everything.

  --port N    listen on this port (PORT, or 8080)
  --help, -h  this
`;

const { port } = readOptions(HELP, { port: { type: 'string' } }, portFault);
process.chdir(root);
if (!isInstalled()) await install();
const nest = join(root, 'node_modules/@nestjs/cli/bin/nest.js');
const args = ['start', '--watch', '--entryFile', 'src/quickstart/main'];
const env = port === undefined ? process.env : { ...process.env, PORT: port };
// After a change nest's two spinners would leave the terminal in raw mode, without Ctrl-C: it gets none to read from.
// Signals go to its process group, since the shell between it and the service passes on none.
const child = spawn(process.execPath, [nest, ...args], {
  stdio: ['ignore', 'inherit', 'inherit'],
  detached: true,
  env,
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => process.kill(-child.pid, signal === 'SIGHUP' ? 'SIGTERM' : signal));
child.once('exit', (code) => process.exit(code ?? 1));
