import type { DatabaseSettings } from '../config/database-settings.js';
import { LedgerClient } from '../database/client.js';
import { migrationStatus, withDataSource } from '../database/migrate.js';
import { Failure } from './failures.js';

export const OUTDATED = 'The schema is not up to date: run "npm run cli -- db migrate".';

/** Runs the work on a connection of its own, where no timeout ends a statement. */
export async function withConnection<T>(
  { url, acquireTimeout }: DatabaseSettings,
  name: string,
  work: (client: LedgerClient) => Promise<T>,
): Promise<T> {
  const client = new LedgerClient({
    connectionString: url,
    connectionTimeoutMillis: acquireTimeout,
    application_name: `property-finance ${name}`,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined); // which ends a transaction that has failed
  }
}

/** Throws a {@link Failure} while migrations are pending. */
export async function requireSchema(settings: DatabaseSettings): Promise<void> {
  if ((await withDataSource(settings, migrationStatus)).some(({ state }) => state === 'pending'))
    throw new Failure(OUTDATED);
}
