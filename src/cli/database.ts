import type { DatabaseSettings } from '../config/env.js';
import type { LedgerClient } from '../database/client.js';
import { openClient } from '../database/pool.js';
import { migrationStatus } from '../database/migrate.js';
import { Failure } from './failures.js';

/** A connection for work that takes its time: no timeout ends its statements. */
export function openUnhurried(
  { url, acquireTimeout }: DatabaseSettings,
  work: string,
): Promise<LedgerClient> {
  return openClient({
    connectionString: url,
    connectionTimeoutMillis: acquireTimeout,
    application_name: `property-finance ${work}`,
  });
}

/** Throws a {@link Failure} while migrations are pending. */
export async function requireSchema(settings: DatabaseSettings): Promise<void> {
  if ((await migrationStatus(settings)).some(({ state }) => state === 'pending')) throw outdatedSchema();
}

export function outdatedSchema(): Failure {
  return new Failure('The schema is not up to date: run "npm run cli -- db migrate".');
}
