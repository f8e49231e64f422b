import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, renameSync, statfsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import './source-names.ts';
import { openCluster } from '../../src/quickstart/embedded-postgres/cluster.ts';
import { PostgresServer } from './postgres-server.ts';

/** In memory, unless there is little, such as the 64 MB of a container. */
function scratchRoot(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 1024 ** 3 ? memory : tmpdir();
}

/** Ends a server that is left when this process has died. */
function watchOver({ folder, server }: PostgresServer): void {
  const script = `cat > /dev/null
    kill -QUIT "$(head -n 1 "$0"/pg*/postmaster.pid)"
    rm -rf "$0" "$1"`;
  const watcher = spawn('/bin/sh', ['-c', script, folder, server.socketDir], {
    detached: true, // beyond the reach of Ctrl-C
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.unref();
  (watcher.stdin as Socket | null)?.unref();
}

/** One PostgreSQL for the whole run, and a folder that goes with it, unless the environment names others. */
export default async function globalSetup(): Promise<void> {
  if (process.env['TEST_SERVER_URL'] !== undefined) return;
  const within = scratchRoot();
  const made = mkdtempSync(join(within, 'property-finance-made-'));
  chmodSync(made, 0o755);
  const { dataDir } = openCluster({
    dataDir: made,
    ephemeral: true,
    trusting: true,
    environment: process.env,
  });
  process.env['TEST_PGDATA'] = dataDir; // each server of the run begins with a copy
  const server = await PostgresServer.start({ within });
  watchOver(server);
  const kept = join(server.folder, 'made');
  renameSync(made, kept);
  process.env['TEST_PGDATA'] = join(kept, basename(dataDir));
  // It would vacuum the databases of all test files, all the time.
  await server.sql('ALTER SYSTEM SET autovacuum = off');
  await server.sql('SELECT pg_reload_conf()');
  process.env['TEST_SERVER_URL'] = process.env['TEST_CITUS']?.split(' ')[0] ?? server.url;
  process.env['TEST_FOLDER'] = server.folder;
  Object.assign(globalThis, { testServer: server });
}
