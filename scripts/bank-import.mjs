// node scripts/bank-import.mjs …: the tool of clients/bank-import from a checkout, built first where that has changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, say } from './lib/project.mjs';

const tool = join(root, 'clients/bank-import');
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const built = join(tool, 'dist', sourceHash());

if (!existsSync(built)) build();
await import(pathToFileURL(join(built, 'bank-import/src/main.js')));

function sourceHash() {
  const hash = createHash('sha256');
  for (const folder of ['bank-import/src', 'typescript/src'].map((name) => join(root, 'clients', name)))
    for (const name of readdirSync(folder, { recursive: true }).sort())
      if (name.endsWith('.ts')) hash.update(`${name}\0${readFileSync(join(folder, name), 'utf8')}\0`);
  return hash.digest('hex').slice(0, 16);
}

/** Into a folder that gets its name when it is whole, so that several may build at once. */
function build() {
  if (!existsSync(compiler)) fail('Nothing is built, and the compiler is not installed. Run: npm ci');
  mkdirSync(join(tool, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(tool, 'dist/new-'));
  const args = [compiler, '-p', join(tool, 'tsconfig.build.json'), '--noCheck', '--outDir', folder];
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) fail('The tool could not be built.');
  try {
    renameSync(folder, built);
  } catch (error) {
    rmSync(folder, { recursive: true });
    if (!existsSync(built)) throw error;
  }
}

function fail(message) {
  say(message);
  process.exit(2);
}
