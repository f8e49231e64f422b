import { rmSync } from 'node:fs';
import type { EmbeddedPostgres } from '../../src/quickstart/embedded-postgres/embedded-postgres.ts';

export default async function globalTeardown(): Promise<void> {
  const { testServer, testServerDir } = globalThis as {
    testServer?: EmbeddedPostgres;
    testServerDir?: string;
  };
  await testServer?.stop();
  if (testServerDir !== undefined) rmSync(testServerDir, { recursive: true, force: true });
}
