// Builds the service, compiles bench/ and test/ beside it, and runs the command in the folder that is named first.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/project.mjs';

const [folder, ...args] = process.argv.slice(2);
const STEPS = [
  ['npm', 'run', '--silent', 'build'],
  ['swc', 'bench', 'test', '-d', 'dist', '--config-file', '.swcrc', '--quiet'],
];

for (const [command, ...rest] of STEPS) {
  const { status } = spawnSync(command, rest, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
process.argv.splice(2, Infinity, join(root, 'dist', folder, 'run.js'), ...args);
await import('./on-postgres.mjs');
