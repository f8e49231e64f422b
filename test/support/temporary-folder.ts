import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';

/** A folder that goes with a test or a command. PostgreSQL may enter it as another user. */
export function temporaryFolder(cleanup: Pick<Cleanup, 'defer'>, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `property-finance-${name}-`));
  chmodSync(folder, 0o755);
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
