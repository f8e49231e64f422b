import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Missing } from '../../bench/command.js';

const INTERPRETERS = ['python3', 'python', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
const LEAST_VERSION = [3, 11] as const;
const VERSION = 'import sys; print(*sys.version_info[:2])';

/**
 * A Python with exactly the packages of this file, in a folder below `cache` that is made once for each content.
 * Returns the path of the interpreter. Throws {@link Missing}.
 */
export function pythonWith(requirements: string, cache: string, tell: (text: string) => void): string {
  const interpreter = findInterpreter();
  const content = createHash('sha256').update(readFileSync(requirements)).update(interpreter.version);
  const folder = join(cache, content.digest('hex').slice(0, 12));
  const python = join(folder, 'bin/python');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return python;
  tell(`Installing ${requirements} for Python ${interpreter.version} into ${folder} …\n`);
  rmSync(folder, { recursive: true, force: true }); // what an installation that broke off has left
  mkdirSync(cache, { recursive: true });
  makeEnvironment(interpreter.command, folder);
  install(python, requirements);
  writeFileSync(complete, '');
  return python;
}

interface Interpreter {
  readonly command: string;
  readonly version: string;
}

function findInterpreter(): Interpreter {
  const found = INTERPRETERS.flatMap((command) => {
    const { status, stdout } = run(command, ['-c', VERSION]);
    return status === 0 ? [{ command, version: stdout.trim().replace(' ', '.') }] : [];
  });
  const fit = found.find(({ version }) => isRecent(version));
  if (fit !== undefined) return fit;
  const told = found.map(({ command, version }) => `${command} is ${version}`).join(', ');
  throw new Missing(
    `Python ${LEAST_VERSION.join('.')} or newer is needed, and ${told || 'there is no Python'}.\n` +
      'On Debian and Ubuntu: apt-get install python3 python3-venv',
  );
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === LEAST_VERSION[0] && minor >= LEAST_VERSION[1];
}

function makeEnvironment(command: string, folder: string): void {
  if (run(command, ['-c', 'import venv, ensurepip']).status !== 0)
    throw new Missing(`${command} has no venv. On Debian and Ubuntu: apt-get install python3-venv`);
  const { status, output } = run(command, ['-m', 'venv', folder]);
  if (status !== 0) throw new Missing(`${command} -m venv failed:\n${output}`);
}

function install(python: string, requirements: string): void {
  const options = ['--require-hashes', '--no-deps', '--only-binary=:all:', '--quiet'];
  const always = ['--disable-pip-version-check', '--no-input'];
  const { status, output } = run(python, ['-m', 'pip', 'install', ...options, ...always, '-r', requirements]);
  if (status !== 0) throw new Missing(`pip cannot install the packages of ${requirements}:\n${output}`);
}

function run(command: string, args: string[]): { status: number | null; stdout: string; output: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return { status, stdout, output: error?.message ?? `${stdout}${stderr}` };
}
