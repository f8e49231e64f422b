import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { MIGRATIONS } from '../../migrations/all.js';
import type { DatabaseSettings } from '../config/env.js';
import { LedgerClient, type LedgerClientConfig } from './client.js';
import { LedgerPool, type LedgerPoolConfig } from './pool.js';
import type { PoolMetrics } from './pool-metrics.js';

/** How much longer than PostgreSQL the driver waits, so that it is PostgreSQL that ends a slow statement. */
const QUERY_TIMEOUT_MARGIN = 1000;

/**
 * ISO is the only style of dates that pg reads, whatever the database's own is. PostgreSQL's 4 MB of memory for a step
 * of a statement are too little for the bitmap of a term that is in many rows: it then looks through whole pages
 * of the table again (590 ms in place of 117 ms, for one in every tenth of two million rows). Without parallel workers
 * one statement takes one processor: a search of one account otherwise takes three from the others.
 */
const PARAMETERS = { datestyle: 'ISO', work_mem: '16MB', max_parallel_workers_per_gather: '0' };

/** By which the connections of the service are told from others (pg_stat_activity). */
const SERVICE_NAME = 'property-finance';

const COMMON = {
  type: 'postgres',
  migrations: MIGRATIONS,
  migrationsTransactionMode: 'each',
  synchronize: false,
  logging: false,
} satisfies DataSourceOptions;

export type ConnectionSettings = Pick<
  DatabaseSettings,
  'url' | 'acquireTimeout' | 'statementTimeout' | 'pooler'
>;

/** With these each connection of the service is opened. A pooler would keep or refuse startup parameters. */
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
      ? { ...timeouts, options: commandLineOf(PARAMETERS) }
      : { transactionParameters: { ...timeouts, ...PARAMETERS }, pipeline: true }), // all its parts in one go
  };
}

function commandLineOf(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** A connection beside the pool, which leaves the session as it finds it. Its errors show at its queries. */
export async function openClient(options: LedgerClientConfig): Promise<LedgerClient> {
  const client = new LedgerClient({ ...options, transactionParameters: undefined });
  await client.connect();
  return client;
}

/** Of a pool of such connections. */
export function poolOptions(
  settings: ConnectionSettings & Pick<DatabaseSettings, 'maxLifetime'>,
  metrics?: PoolMetrics,
): LedgerPoolConfig {
  return {
    ...connectionOptions(settings),
    ...(metrics !== undefined && { metrics }),
    maxLifetimeSeconds: settings.maxLifetime / 1000,
    idleTimeoutMillis: 60_000,
  };
}

export const AUTHENTICATION_CONNECTIONS = 1;
/** Callers wait for the look-up before theirs, so that one in a frozen database must end soon. */
export function authenticationOptions(settings: DatabaseSettings): LedgerPoolConfig {
  const { url, pooler, acquireTimeout, maxLifetime } = settings;
  const statementTimeout = Math.min(settings.statementTimeout, acquireTimeout);
  const options = poolOptions({ url, pooler, acquireTimeout, maxLifetime, statementTimeout });
  return { ...options, max: AUTHENTICATION_CONNECTIONS };
}

type PoolErrorHandler = (error: unknown) => void;

/**
 * The service's pool. The URL goes to pg itself: TypeORM's own parser drops `?host=`, `?sslmode=` and
 * IPv6 hosts.
 */
export function dataSourceOptions(
  settings: DatabaseSettings,
  onPoolError: PoolErrorHandler,
  metrics: PoolMetrics,
): DataSourceOptions {
  return {
    ...COMMON,
    poolSize: settings.poolSize,
    poolErrorHandler: onPoolError,
    driver: { ...pg, Pool: LedgerPool },
    extra: poolOptions(settings, metrics),
  };
}

/** A pool for work on the schema, which may take its time. */
export function migrationOptions(settings: DatabaseSettings): DataSourceOptions {
  return {
    ...COMMON,
    poolSize: 2,
    poolErrorHandler: () => undefined,
    driver: { ...pg, Pool: LedgerPool },
    extra: {
      connectionString: settings.url,
      connectionTimeoutMillis: settings.acquireTimeout,
      application_name: 'property-finance migration',
    },
  };
}
