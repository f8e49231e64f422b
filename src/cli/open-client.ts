import type { DatabaseSettings } from '../config/env.js';
import { connectTo, LedgerClient } from '../database/client.js';
import { Servers } from '../database/servers.js';

/** A connection for work that takes its time: no timeout ends its statements. */
export function openClient(
  { url, acquireTimeout }: DatabaseSettings,
  application_name: string,
): Promise<LedgerClient> {
  const servers = new Servers(url, acquireTimeout);
  return connectTo(servers, () => new LedgerClient({ servers, application_name }));
}
