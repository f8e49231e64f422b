// npm run build: compiles the service into dist/, and notes down what it was made of.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { readOptions } from './lib/command.mjs';
import { root } from './lib/project.mjs';

readOptions(`Usage: npm run build

Checks the types of src/ and migrations/, compiles them into dist/, and notes there what it was made of.

  --help, -h  this

Example: npm run build && npm start

Exit codes: 0 built, 1 the compiler found something, 2 called wrongly.
`);

const nest = join(root, 'node_modules/.bin/nest');
const isTerminal = process.stdout.isTTY;
const { status, stdout, stderr } = spawnSync(nest, ['build'], {
  cwd: root,
  stdio: isTerminal ? 'inherit' : 'pipe',
  encoding: 'utf8',
});
if (!isTerminal) {
  process.stdout.write(stripVTControlCharacters(stdout ?? '')); // Nest colours files, too
  process.stderr.write(stripVTControlCharacters(stderr ?? ''));
}
if (status === 0) await import('./build-info.mjs');
else process.exitCode = 1;
