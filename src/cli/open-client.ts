import type { DatabaseSettings } from '../config/env.js';
import { LedgerClient } from '../database/client.js';

/** A connection for work that takes its time: no timeout ends its statements. */
export async function openClient(
  { url, acquireTimeout }: DatabaseSettings,
  application_name: string,
): Promise<LedgerClient> {
  const client = new LedgerClient({
    connectionString: url,
    connectionTimeoutMillis: acquireTimeout,
    application_name,
  });
  await client.connect();
  return client;
}
