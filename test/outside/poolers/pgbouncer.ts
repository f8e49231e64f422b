import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../bench/launch.js';
import type { Cluster } from '../../faults/support/cluster.js';
import type { Rig } from '../../faults/support/rig.js';
import { Program, programOf } from '../../support/program.js';
import { cacheFolder, run } from '../support/commands.js';

/** Debian 13, with PgBouncer 1.24. */
const RELEASE = 'trixie';
const PASSWORD = 'unused';

/** The command of the installed PgBouncer, and that of another Debian release, unpacked once. */
export async function pgBouncers(): Promise<string[][]> {
  const folder = join(cacheFolder('poolers'), RELEASE);
  const program = join(folder, 'usr/sbin/pgbouncer');
  if (!existsSync(program)) {
    rmSync(folder, { recursive: true, force: true }); // an interrupted installation
    const args = ['--quiet', '--variant=minbase', '--include=pgbouncer', RELEASE, folder];
    await run(programOf('mmdebstrap'), args);
  }
  const libraries = ['lib', 'usr/lib'].map((lib) => join(folder, lib, 'x86_64-linux-gnu')).join(':');
  const loader = join(folder, 'lib64/ld-linux-x86-64.so.2');
  return [[programOf('pgbouncer')], [loader, '--library-path', libraries, program]];
}

/** `PgBouncer 1.24.1` */
export async function versionOf([program = '', ...args]: readonly string[]): Promise<string> {
  return (await run(program, [...args, '--version'])).split('\n')[0] ?? '';
}

/** Starts PgBouncer with its defaults, except for the pool's size where given. Returns the URL through it. */
export async function startPgBouncer(
  rig: Rig,
  command: readonly string[],
  { cluster, mode, poolSize }: { cluster: Cluster; mode: string; poolSize?: number | undefined },
): Promise<string> {
  const url = new URL(cluster.url);
  const port = await freePort();
  const name = join(rig.folder, `pgbouncer-${port}`);
  writeFileSync(`${name}.users`, `"${url.username}" "${PASSWORD}"\n`);
  const settings = [
    '[databases]',
    `* = host=${cluster.server.socketDir} port=${url.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    `auth_file = ${name}.users`,
    `pool_mode = ${mode}`,
    ...(poolSize === undefined ? [] : [`default_pool_size = ${poolSize}`]),
  ];
  writeFileSync(`${name}.ini`, `${settings.join('\n')}\n`);
  const line = [...command, '-q', ...asOwnerOf(cluster.server.socketDir), `${name}.ini`];
  await new Program(rig, line, { signals: ['SIGINT', 'SIGTERM'] }).listens(port); // the second: at once
  return `postgres://${url.username}:${PASSWORD}@127.0.0.1:${port}${url.pathname}`;
}

/** PgBouncer refuses to run as root, and the folder of PostgreSQL's socket is closed to others than its owner. */
function asOwnerOf(folder: string): string[] {
  if (process.getuid?.() !== 0) return [];
  return ['-u', execFileSync('id', ['-nu', String(statSync(folder).uid)], { encoding: 'utf8' }).trim()];
}
