import type pg from 'pg';
import { Counter, type Registry } from 'prom-client';
import { gauge } from '../metrics/gauge.js';
import { exposeTimers, Timer } from '../metrics/timer.js';
import type { LedgerClient } from './client.js';
import { unavailability } from './errors.js';

/** The labels of every series; dashboards for HikariCP choose by the pool. */
const POOL = { pool: 'postgres' };
const NAME = 'hikaricp_connections';
const labelNames = Object.keys(POOL);

/** Counts and times the connections of a pool, under HikariCP's names. Returns the way to take one. */
export function countConnections(registry: Registry, pool: pg.Pool): () => Promise<pg.PoolClient> {
  const expose = (suffix: string, help: string, read: () => number): void =>
    gauge(registry, { name: `${NAME}${suffix}`, help, labelNames }, () => [[POOL, read()]]);
  expose('', 'All connections, those included that are being opened.', () => pool.totalCount);
  expose('_active', 'Connections that are not idle.', () => pool.totalCount - pool.idleCount);
  expose('_idle', 'Connections that nobody holds.', () => pool.idleCount);
  expose('_pending', 'How many wait for a connection.', () => pool.waitingCount);
  expose('_max', 'The most connections that the pool opens.', () => pool.options.max);
  expose('_min', 'Idle connections that the pool keeps open.', () => pool.options.min ?? 0);
  const timer = (what: string, help: string): Timer => {
    const made = new Timer();
    exposeTimers(registry, { name: `${NAME}_${what}_seconds`, help, labelNames }, () => [[POOL, made]]);
    return made;
  };
  const acquire = timer('acquire', 'Time to get a connection, free or new.');
  const usage = timer('usage', 'Time for which a connection was held.');
  const creation = timer('creation', 'Time to open a connection.');
  const help = 'How often nobody got a connection in time.';
  const timeouts = new Counter({ name: `${NAME}_timeout_total`, help, labelNames, registers: [registry] });
  timeouts.inc(POOL, 0);
  const since = new WeakMap<pg.PoolClient, number>();
  pool.on('connect', (client) => creation.record((client as unknown as LedgerClient).age / 1000));
  pool.on('acquire', (client) => since.set(client, performance.now()));
  pool.on('release', (_, client) => usage.record(secondsSince(since.get(client))));
  return async () => {
    const start = performance.now();
    try {
      const client = await pool.connect();
      acquire.record(secondsSince(start));
      return client;
    } catch (error) {
      if (unavailability(error) === 'pool-timeout') timeouts.inc(POOL);
      throw error;
    }
  };
}

function secondsSince(start = performance.now()): number {
  return (performance.now() - start) / 1000;
}
