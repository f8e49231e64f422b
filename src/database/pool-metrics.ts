import { Inject, Injectable } from '@nestjs/common';
import type pg from 'pg';
import { Counter, Registry } from 'prom-client';
import { SETTINGS, type Settings } from '../config/settings.js';
import { gauge } from '../metrics/gauge.js';
import { exposeTimers, Timer } from '../metrics/timer.js';
import type { LedgerClient } from './client.js';

/** The labels of every series; dashboards for HikariCP choose by the pool. */
const POOL = { pool: 'postgres' };
const labelNames = Object.keys(POOL);

/** The service's pool of connections, under HikariCP's names. */
@Injectable()
export class PoolMetrics {
  readonly acquire: Timer;
  readonly usage: Timer;
  private readonly creation: Timer;
  private readonly timeouts: Counter<'pool'>;
  private pool: pg.Pool | undefined;

  constructor(
    private readonly registry: Registry,
    @Inject(SETTINGS) { database: { poolSize } }: Pick<Settings, 'database'>,
  ) {
    this.timeouts = new Counter({
      name: 'hikaricp_connections_timeout_total',
      help: 'How often nobody got a connection in time.',
      labelNames,
      registers: [registry],
    });
    this.timeouts.inc(POOL, 0);
    const total = (): number => this.pool?.totalCount ?? 0;
    const idle = (): number => this.pool?.idleCount ?? 0;
    this.expose('', 'All connections, those included that are being opened.', total);
    this.expose('_active', 'Connections that are not idle.', () => total() - idle());
    this.expose('_idle', 'Connections that nobody holds.', idle);
    this.expose('_pending', 'How many wait for a connection.', () => this.pool?.waitingCount ?? 0);
    this.expose('_max', 'The most connections that the pool opens.', () => poolSize);
    this.expose('_min', 'Idle connections that the pool keeps open.', () => this.pool?.options.min ?? 0);
    this.acquire = this.timer('acquire', 'Time to get a connection, free or new.');
    this.usage = this.timer('usage', 'Time for which a connection was held.');
    this.creation = this.timer('creation', 'Time to open a connection.');
  }

  observe(pool: pg.Pool): void {
    this.pool = pool;
    pool.on('connect', (client) => this.creation.record((client as unknown as LedgerClient).age / 1000));
  }

  timedOut(): void {
    this.timeouts.inc(POOL);
  }

  private expose(suffix: string, help: string, read: () => number): void {
    gauge(this.registry, { name: `hikaricp_connections${suffix}`, help, labelNames }, () => [[POOL, read()]]);
  }

  private timer(what: string, help: string): Timer {
    const timer = new Timer();
    const about = { name: `hikaricp_connections_${what}_seconds`, help, labelNames };
    exposeTimers(this.registry, about, () => [[POOL, timer]]);
    return timer;
  }
}
