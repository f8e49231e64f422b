import pg from 'pg';
import type { DatabaseSettings } from '../config/database-settings.js';
import { LedgerClient, type LedgerClientConfig } from './client.js';

/** Milliseconds that the driver waits longer than PostgreSQL, so that PostgreSQL ends a slow statement. */
const QUERY_TIMEOUT_MARGIN = 1000;

/**
 * ISO is the only style of dates that pg reads, whatever the database's own is. PostgreSQL's 4 MB of memory for a step
 * of a statement are too little for the bitmap of a term that is in many rows: it then looks through whole pages
 * of the table again (590 ms in place of 117 ms, for one in every tenth of two million rows). Without parallel workers
 * one statement takes one processor: a search of one account otherwise takes three from the others.
 */
const PARAMETERS = { datestyle: 'ISO', work_mem: '16MB', max_parallel_workers_per_gather: '0' };
const COMMAND_LINE = Object.entries(PARAMETERS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** The name of the service's connections in pg_stat_activity. */
const SERVICE_NAME = 'property-finance';

const LONGEST_IDLE = 60_000; // milliseconds

/** Connections of one instance for looking up callers. */
export const AUTHENTICATION_CONNECTIONS = 1;

export type ConnectionSettings = Pick<
  DatabaseSettings,
  'url' | 'acquireTimeout' | 'statementTimeout' | 'pooler'
>;

/** The options of every connection of the service. A pooler would keep or refuse startup parameters. */
export function connectionOptions(settings: ConnectionSettings): LedgerClientConfig {
  const timeouts = {
    statement_timeout: settings.statementTimeout,
    idle_in_transaction_session_timeout: settings.statementTimeout,
  };
  return {
    connectionString: settings.url,
    connectionTimeoutMillis: settings.acquireTimeout,
    query_timeout: settings.statementTimeout + QUERY_TIMEOUT_MARGIN,
    keepAlive: true,
    application_name: SERVICE_NAME,
    ...(settings.pooler === 'none'
      ? { ...timeouts, options: COMMAND_LINE }
      : { transactionParameters: { ...timeouts, ...PARAMETERS }, pipeline: true }), // all its parts in one go
  };
}

/** A connection beside the pool, which leaves the session as it finds it. Its errors show at its queries. */
export async function openClient(options: LedgerClientConfig): Promise<LedgerClient> {
  const client = new LedgerClient({ ...options, transactionParameters: undefined });
  await client.connect();
  return client;
}

/** A pool of at most so many connections. */
export function openPool(
  settings: ConnectionSettings & Pick<DatabaseSettings, 'maxLifetime'>,
  max: number,
): pg.Pool {
  return new pg.Pool({
    ...connectionOptions(settings),
    Client: LedgerClient,
    max,
    idleTimeoutMillis: LONGEST_IDLE,
    maxLifetimeSeconds: settings.maxLifetime / 1000,
  });
}
