import type { Cleanup } from '../../bench/cleanup.js';
import { migrate, withDataSource } from '../../src/database/migrate.js';
import { PostgresServer } from './postgres-server.js';
import { type Service, startService } from './service.js';
import { testSettings } from './settings.js';

/** The service with a PostgreSQL of its own, for a command. */
export async function startOwnService(cleanup: Cleanup, env: Record<string, string> = {}): Promise<Service> {
  const server = await PostgresServer.start();
  cleanup.defer(() => server.remove());
  await withDataSource(testSettings(server.url).database, migrate);
  const service = await startService(env, server.url);
  cleanup.defer(() => service.stop());
  return service;
}
