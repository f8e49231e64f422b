import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import pg from 'pg';
import type { Counter } from 'prom-client';
import { counterProvider, gaugeProvider, timerProviders } from '../common/metrics/providers.js';
import type { Timer, TimerSummary } from '../common/metrics/timer.js';
import { LedgerClient } from './client.js';
import { unavailability } from './errors.js';

const POOL = { pool: 'postgres' }; // the labels of every series; dashboards for HikariCP choose by the pool
const NAME = 'hikaricp_connections';
const TIMEOUTS = `${NAME}_timeout_total`;
const labelNames = Object.keys(POOL);

const number = (suffix: string, help: string, valueOf: (pool: pg.Pool) => number): Provider => {
  const read = (pool: pg.Pool) => [[POOL, valueOf(pool)] as const];
  return gaugeProvider({ name: `${NAME}${suffix}`, help, labelNames, inject: [pg.Pool], read });
};

const timer = (what: string, help: string) =>
  timerProviders({ name: `${NAME}_${what}_seconds`, help, labelNames });

/** Under HikariCP's names. */
export const POOL_METRICS = [
  number('', 'All connections, those included that are being opened.', (pool) => pool.totalCount),
  number('_active', 'Connections that are not idle.', (pool) => pool.totalCount - pool.idleCount),
  number('_idle', 'Connections that nobody holds.', (pool) => pool.idleCount),
  number('_pending', 'How many wait for a connection.', (pool) => pool.waitingCount),
  number('_max', 'The most connections that the pool opens.', (pool) => pool.options.max),
  number('_min', 'Idle connections that the pool keeps open.', (pool) => pool.options.min ?? 0),
  ...timer('acquire', 'Time to get a connection, free or new.'),
  ...timer('usage', 'Time for which a connection was held.'),
  ...timer('creation', 'Time to open a connection.'),
  counterProvider({ name: TIMEOUTS, help: 'How often nobody got a connection in time.', labelNames }),
];

@Injectable()
export class PoolTimes {
  constructor(
    @InjectMetric(`${NAME}_acquire_seconds`) private readonly acquire: TimerSummary,
    @InjectMetric(`${NAME}_usage_seconds`) private readonly usage: TimerSummary,
    @InjectMetric(`${NAME}_creation_seconds`) private readonly creation: TimerSummary,
    @InjectMetric(TIMEOUTS) private readonly timeouts: Counter,
  ) {
    timeouts.inc(POOL, 0);
  }

  /** Returns the way to take a connection. */
  watch(pool: pg.Pool): () => Promise<pg.PoolClient> {
    const timers = [this.acquire, this.usage, this.creation].map((summary) => summary.timer(POOL));
    const [acquire, usage, creation] = timers as [Timer, Timer, Timer];
    const since = new WeakMap<pg.PoolClient, number>();
    pool.on('connect', (client) => client instanceof LedgerClient && creation.record(client.age / 1000));
    pool.on('acquire', (client) => since.set(client, performance.now()));
    pool.on('release', (_, client) => usage.record(secondsSince(since.get(client))));
    return async () => {
      const start = performance.now();
      try {
        const client = await pool.connect();
        acquire.record(secondsSince(start));
        return client;
      } catch (error) {
        if (unavailability(error) === 'timeout') this.timeouts.inc(POOL);
        throw error;
      }
    };
  }
}

const secondsSince = (start = performance.now()): number => (performance.now() - start) / 1000;
