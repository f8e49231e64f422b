import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Environment } from '../../config/variables.js';
import { fail, type Finding, ok, warn } from './finding.js';

const MIB = 1024 ** 2;
const TIGHT = 1024 * MIB;
const FULL = 100 * MIB;

/** Node, npm, and whether what runs was made from the sources that are here. */
export function checkPrograms(env: Environment, isBuilt: () => boolean): Finding[] {
  const npm = /npm\/(\S+)/.exec(env['npm_config_user_agent'] ?? '')?.[1];
  return [
    ok('node', `${process.version}${npm === undefined ? '' : `, npm ${npm}`}`), // another is refused at the start
    isBuilt()
      ? ok('build', 'made from the sources as they are')
      : warn('build', 'dist/ was not made from the sources as they are', 'npm run build'),
  ];
}

/** Room for what the process writes: the quickstart's database, or the log. */
export async function checkDisk(folder: string): Promise<Finding> {
  const path = resolve(existsSync(folder) ? folder : '.');
  const { bavail, bsize } = await statfs(path);
  const free = bavail * bsize;
  const text = `${free < TIGHT ? `${Math.floor(free / MIB)} MiB` : `${(free / TIGHT).toFixed(1)} GiB`} free at ${path}`;
  const remedy = `make room: du -xh ${path} | sort -h | tail`;
  if (free < FULL) return fail('disk', text, remedy);
  return free < TIGHT ? warn('disk', text, remedy) : ok('disk', text);
}
