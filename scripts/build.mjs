// npm run build: checks the types of src/ and migrations/, compiles them into dist/, and notes what it was made of.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/project.mjs';

const nest = join(root, 'node_modules/.bin/nest');
const env = process.stdout.isTTY ? process.env : { ...process.env, NO_COLOR: '1' };
const { status } = spawnSync(nest, ['build'], { cwd: root, stdio: 'inherit', env });
if (status === 0) await import('./build-info.mjs');
else process.exitCode = 1;
