import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import './source-names.ts';
import { startEmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.ts';

/** In memory where there is room for it; containers often have 64 MB of it only. */
function scratchRoot(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 1024 ** 3 ? memory : tmpdir();
}

/** One throw-away PostgreSQL for the whole run. */
export default async function globalSetup(): Promise<void> {
  const dir = mkdtempSync(join(scratchRoot(), 'property-finance-test-'));
  const server = await startEmbeddedPostgres({
    dataDir: dir,
    database: 'admin',
    ephemeral: true,
    environment: process.env,
  });
  process.env['TEST_SERVER_URL'] = server.url;
  Object.assign(globalThis, { testServer: server, testServerDir: dir });
}
