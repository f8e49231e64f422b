import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';

/** A folder of a test's or a command's own, deleted at its end. PostgreSQL, which may run as another user, can go through it. */
export function temporaryFolder(cleanup: Pick<Cleanup, 'defer'>, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `property-finance-${name}-`));
  chmodSync(folder, 0o755);
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
