// What is installed and what is built, and how to bring both up to date.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const HASH_FILE = 'dist/.source-hash';

const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', '.swcrc', 'nest-cli.json', 'package.json'];
const SOURCES = ['src', 'migrations', ...SETTINGS];

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
  return isThere(file) ? JSON.parse(readFileSync(join(root, file), 'utf8')).packages : {};
}

export async function install() {
  await step('Installing the dependencies', ['ci', '--loglevel=error'], true); // npm shows how far it is
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
  await step('Building', ['run', '--silent', 'build']);
}

export function sourceHash() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesOf).sort())
    hash.update(`${file}\0${readFileSync(join(root, file), 'utf8')}\0`);
  return hash.digest('hex');
}

function filesOf(name) {
  if (statSync(join(root, name)).isFile()) return [name];
  return readdirSync(join(root, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}

/** Says what npm does and how long it took. Ends this process, with npm's own words, when it fails. */
async function step(title, args, speaks = false) {
  const start = Date.now();
  process.stderr.write(`${title} … ${speaks ? '\n' : ''}`);
  const { status, words } = await runNpm(args, speaks ? 2 : 'pipe');
  if (status !== 0) {
    say(`failed\n${words}"npm ${args.join(' ')}" failed.`);
    process.exit(1);
  }
  say(`${((Date.now() - start) / 1000).toFixed(1)} s`);
}

const INTERRUPTED = 130;
/** Milliseconds until a signalled npm is killed. */
const PATIENCE = 5000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** npm, which ends with its process group when the end of its input says that this process was killed. */
const GUARDED = `exec 3<&0
{ read -r _ <&3; kill 0; } >/dev/null 2>&1 & guard=$!
npm "$@" </dev/null; status=$?
kill $guard; exit $status`;

/** In a process group of its own, which the first signal stops before this process ends. */
function runNpm(args, output) {
  let stopping;
  const stop = (signal) => (stopping ??= endGroup(child.pid, signal));
  for (const signal of SIGNALS) process.on(signal, stop);
  const options = { cwd: root, detached: true, stdio: ['pipe', output, output] };
  const child = spawn('sh', ['-c', GUARDED, 'npm', ...args], options);
  let words = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => (words += text));
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ status: 1, words: `${message}\n` }));
    child.once('close', (status) => {
      if (stopping !== undefined) return;
      for (const signal of SIGNALS) process.off(signal, stop);
      resolve({ status, words });
    });
  });
}

async function endGroup(pid, signal) {
  process.stderr.on('error', () => undefined); // a closed terminal takes no words
  signalGroup(pid, signal);
  for (const deadline = Date.now() + PATIENCE; Date.now() < deadline && signalGroup(pid, 0);) await sleep(20);
  signalGroup(pid, 'SIGKILL');
  say('\nInterrupted: nothing is left running.');
  process.exit(INTERRUPTED);
}

/** False when no process is left in the group. */
function signalGroup(pid, signal) {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** To standard error: standard output is for the result of a command. */
export function say(message) {
  process.stderr.write(`${message}\n`);
}
