import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { APART, EmbeddedPostgresError } from './binaries.js';
import type { Cluster } from './cluster.js';
import { commandAs, handOver } from './run-as.js';

export const PORT = 5432; // only names the socket's file: the server does not listen on TCP
const SOCKET = `.s.PGSQL.${PORT}.lock`;
/** Bytes of a path that PostgreSQL takes for a socket (`sun_path`), less one for the zero behind them. */
const LONGEST_SOCKET = 107;

/** Milliseconds for a fast shutdown; past it PostgreSQL is told to leave at once, and recovers at its next start. */
const FAST_SHUTDOWN_TIME = 15_000;

/** The server that runs on the folder, if one does. */
export function readPostmaster(dataDir: string) {
  try {
    const lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    process.kill(pid || NaN, 0); // no signal, but an error where the process is gone, or its number not yet written
    return { pid, socketDir: lines[4] ?? '' }; // as PostgreSQL writes them (see its miscadmin.h)
  } catch {
    return undefined;
  }
}

/** Throws the last lines of its log when it has not come up. */
export function startPostmaster(cluster: Cluster): void {
  const { dataDir, binaries, runAs, ephemeral, environment: env } = cluster;
  const settings = [
    ...['listen_addresses=', `unix_socket_directories=${makeSocketDir(cluster)}`],
    ...['unix_socket_permissions=0700', `port=${PORT}`, 'timezone=UTC', 'log_timezone=UTC'],
    ...(ephemeral ? UNSAFE : []),
  ].map((setting) => `-c '${setting.replaceAll("'", `'\\''`)}'`); // pg_ctl passes them to a shell
  const log = `${dataDir}.log`;
  const options = ['start', '--wait', '-D', dataDir, '-l', log, '-o', settings.join(' ')];
  const command = commandAs(runAs, join(binaries.folder, 'pg_ctl'), options);
  if (spawnSync(...command, { ...APART, cwd: '/', stdio: 'ignore', env }).status === 0) return;
  const words = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').slice(-8).join('\n') : '';
  throw new EmbeddedPostgresError(`The embedded PostgreSQL did not start:\n${words}`);
}

/** Rolls back what is open, writes everything out, and ends it. */
export async function stopPostmaster(dataDir: string, pid: number): Promise<void> {
  process.kill(pid, 'SIGINT');
  for (const deadline = Date.now() + FAST_SHUTDOWN_TIME; Date.now() < deadline;) {
    if (readPostmaster(dataDir)?.pid !== pid) return;
    await sleep(10);
  }
  process.kill(pid, 'SIGQUIT');
}

const UNSAFE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];

/** Under the system's folder for such things, unless that is missing or too long for a socket. */
function makeSocketDir({ dataDir, runAs }: Cluster): string {
  const user = process.getuid?.();
  const key = `${user ?? ''}:${dataDir}`;
  const name = `pg-${createHash('sha256').update(key).digest('hex').slice(0, 12)}`;
  const fits = (parent: string): boolean =>
    existsSync(parent) && Buffer.byteLength(join(parent, name, SOCKET)) <= LONGEST_SOCKET;
  const folder = join([tmpdir(), '/tmp'].find(fits) ?? tmpdir(), name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder); // anybody may have put a link there: its target is left alone
  const owner = runAs.owner?.uid ?? user ?? found.uid;
  if (!found.isDirectory() || ![owner, user].includes(found.uid) || (found.mode & 0o077) !== 0)
    throw new EmbeddedPostgresError(
      `${folder} must be a folder that is closed to other users, and no link to one: delete it.`,
    );
  handOver(folder, runAs);
  return folder;
}
