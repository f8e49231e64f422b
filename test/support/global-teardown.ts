import type { PostgresServer } from './postgres-server.ts';

/** The folder goes with this process: see the global setup. */
export default async function globalTeardown(): Promise<void> {
  await (globalThis as { testServer?: PostgresServer }).testServer?.stop();
}
