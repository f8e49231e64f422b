// What is installed and what is built, and how to bring both up to date.
import './node-version.mjs';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './child.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const SOURCES = [
  'src',
  'migrations',
  'tsconfig.json',
  'tsconfig.build.json',
  '.swcrc',
  'nest-cli.json',
  'package.json',
];
export const HASH_FILE = 'dist/.source-hash';

export function isThere(path) {
  return existsSync(join(root, path));
}

/** Whether node_modules holds what package-lock.json says, as npm itself has noted down in there. */
export function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  return Object.entries(wanted).every(([path, entry]) => {
    const found = present[path];
    if (path === '') return true; // this project itself
    if (found === undefined) return entry.optional === true; // for another platform
    return found.version === entry.version && (entry.integrity ?? found.integrity) === found.integrity;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return {};
  }
}

export async function install() {
  await step('Installing the dependencies', 'npm', ['ci', '--loglevel=error'], true); // npm shows how far it is
}

/** Whether dist/ was made from the sources as they are; true, too, where there is nothing to build it from. */
export function isBuilt() {
  if (!isThere('dist/src/main.js')) return false;
  if (!isThere('src')) return true;
  return isThere(HASH_FILE) && readFileSync(join(root, HASH_FILE), 'utf8') === sourceHash();
}

/** Whether the compiler is there: an installation for production has none. */
export function canBuild() {
  return isThere('node_modules/@nestjs/cli');
}

export async function build() {
  await step('Building', 'npm', ['run', '--silent', 'build']);
}

export function sourceHash() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesOf).sort()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesOf(name) {
  if (statSync(join(root, name)).isFile()) return [name];
  return readdirSync(join(root, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}

/** Says what goes on and how long it took. Ends this process, with the command's own words, when it fails. */
async function step(title, command, args, speaks = false) {
  const start = Date.now();
  process.stderr.write(`${title} … ${speaks ? '\n' : ''}`);
  const { status, words } = await runToEnd(command, args, { cwd: root, speaks });
  if (status === 0) {
    say(duration(Date.now() - start));
    return;
  }
  say(`failed\n${words}"${[command, ...args].join(' ')}" failed.`);
  process.exit(1);
}

/** A duration in milliseconds, as people say it. */
function duration(milliseconds) {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** To standard error: what a command prints is for whoever reads its output. */
export function say(message) {
  process.stderr.write(`${message}\n`);
}
