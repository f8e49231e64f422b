import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Missing, print } from '../../../bench/command.js';
import { cacheFolder, run, succeeds } from './commands.js';

const REQUIREMENTS = 'test/outside/requirements.txt';
const NEEDED = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))';
const INSTALL = [
  ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'],
  ...['--require-hashes', '--no-deps', '--only-binary=:all:'],
];

/** The `bin` folder of a Python with the packages of requirements.txt. A changed file makes a new one. */
export async function pythonPrograms(): Promise<string> {
  if (!(await succeeds('python3', ['-c', NEEDED])))
    throw new Missing(
      'Python 3.11 with venv is not installed. On Debian and Ubuntu: apt-get install python3-venv',
    );
  const hash = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const folder = join(cacheFolder('python'), hash);
  const [bin, complete] = [join(folder, 'bin'), join(folder, 'complete')];
  if (existsSync(complete)) return bin;
  print(`Installing ${REQUIREMENTS} into ${folder} …\n`);
  rmSync(folder, { recursive: true, force: true }); // an interrupted installation
  await run('python3', ['-m', 'venv', folder]);
  await run(join(bin, 'python'), [...INSTALL, '-r', REQUIREMENTS]);
  await run('touch', [complete]);
  return bin;
}
