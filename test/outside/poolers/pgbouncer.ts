import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../bench/launch.js';
import type { Cluster } from '../../faults/support/cluster.js';
import type { Rig } from '../../faults/support/rig.js';
import { Program, programOf } from '../../support/program.js';

const PASSWORD = 'unused';

export type Mode = 'session' | 'transaction';

/** A PgBouncer that can be run. */
export interface PgBouncer {
  /** `1.24.1` */
  readonly version: string;
  readonly command: readonly string[];
}

export function installedPgBouncer(): PgBouncer {
  return withVersion([programOf('pgbouncer')]);
}

/** That of another release of Debian, in a folder of its own, which is made once. */
export function pgBouncerOf(release: string, cache: string): PgBouncer {
  const folder = join(cache, `pgbouncer-${release}`);
  const program = join(folder, 'usr/sbin/pgbouncer');
  if (!existsSync(program)) unpack(release, folder);
  const libraries = ['lib', 'usr/lib'].map((lib) => join(folder, lib, 'x86_64-linux-gnu')).join(':');
  return withVersion([join(folder, 'lib64/ld-linux-x86-64.so.2'), '--library-path', libraries, program]);
}

function unpack(release: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true }); // what was broken off
  const args = ['--quiet', '--variant=minbase', '--include=pgbouncer', release, folder];
  execFileSync(programOf('mmdebstrap'), args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function withVersion(command: readonly string[]): PgBouncer {
  const [program = '', ...args] = command;
  const text = execFileSync(program, [...args, '--version'], { encoding: 'utf8' });
  return { version: /PgBouncer (\S+)/.exec(text)?.[1] ?? text, command };
}

/** Starts it with nothing set but what it must know, and the pool's size where that is given. Returns the URL by way of it. */
export async function startPgBouncer(
  rig: Rig,
  { command, version }: PgBouncer,
  { cluster, mode, poolSize }: { cluster: Cluster; mode: Mode; poolSize?: number },
): Promise<string> {
  const url = new URL(cluster.url);
  const port = await freePort();
  const name = join(rig.folder, `pgbouncer-${version}-${mode}-${port}`);
  writeFileSync(`${name}.users`, `"${url.username}" "${PASSWORD}"\n`);
  const settings = [
    '[databases]',
    `* = host=${cluster.socketDir} port=${url.searchParams.get('port') ?? '5432'}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    `auth_file = ${name}.users`,
    `pool_mode = ${mode}`,
    ...(poolSize === undefined ? [] : [`default_pool_size = ${poolSize}`]),
  ];
  writeFileSync(`${name}.ini`, `${settings.join('\n')}\n`);
  const line = [...command, '-q', ...asUserOf(cluster.socketDir), `${name}.ini`];
  await new Program(rig, line, { signals: ['SIGINT', 'SIGTERM'] }).listens(port); // the second: at once
  return `postgres://${url.username}:${PASSWORD}@127.0.0.1:${port}${url.pathname}`;
}

/** It refuses to run as root, and PostgreSQL lets only its own user into the folder of its socket. */
function asUserOf(folder: string): string[] {
  if (process.getuid?.() !== 0) return [];
  return ['-u', execFileSync('id', ['-nu', String(statSync(folder).uid)], { encoding: 'utf8' }).trim()];
}
