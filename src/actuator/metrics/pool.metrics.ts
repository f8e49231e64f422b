import { Inject, Injectable } from '@nestjs/common';
import type pg from 'pg';
import { Counter, Registry } from 'prom-client';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { PoolEvents } from '../../database/pool.js';
import { labelledGauge } from './registry.js';
import { exposeTimers, Timer } from './timer.js';

const TIMERS = {
  acquire: 'Time to get a connection, free or new.',
  usage: 'Time for which a connection was held.',
  creation: 'Time to open a connection.',
} as const;
type What = keyof typeof TIMERS;

/** The labels of every series; dashboards for HikariCP choose by the pool. */
const POOL = { pool: 'postgres' };

/** The pool of connections, under HikariCP's names. */
@Injectable()
export class PoolMetrics {
  private readonly timers = { acquire: new Timer(), usage: new Timer(), creation: new Timer() };

  constructor(
    private readonly registry: Registry,
    private readonly database: Database,
    @Inject(SETTINGS) { database: { poolSize } }: Pick<Settings, 'database'>,
    events: PoolEvents,
  ) {
    const timeouts = new Counter({
      name: 'hikaricp_connections_timeout_total',
      help: 'How often nobody got a connection in time.',
      labelNames: ['pool'],
      registers: [registry],
    });
    timeouts.inc(POOL, 0);
    events.listener = {
      acquired: (seconds) => this.timers.acquire.record(seconds),
      timedOut: () => timeouts.inc(POOL),
      used: (seconds) => this.timers.usage.record(seconds),
      created: (seconds) => this.timers.creation.record(seconds),
    };
    const total = (pool?: pg.Pool): number => pool?.totalCount ?? 0;
    const idle = (pool?: pg.Pool): number => pool?.idleCount ?? 0;
    this.gauge('', 'All connections, those included that are being opened.', total);
    this.gauge('_active', 'Connections that are not idle.', (pool) => total(pool) - idle(pool));
    this.gauge('_idle', 'Connections that nobody holds.', idle);
    this.gauge('_pending', 'How many wait for a connection.', (pool) => pool?.waitingCount ?? 0);
    this.gauge('_max', 'The most connections that the pool opens.', () => poolSize);
    this.gauge('_min', 'Idle connections that the pool keeps open.', (pool) => pool?.options.min ?? 0);
    for (const [what, help] of Object.entries(TIMERS)) this.expose(what as What, help);
  }

  private gauge(suffix: string, help: string, read: (pool: pg.Pool | undefined) => number): void {
    const about = { name: `hikaricp_connections${suffix}`, help, labelNames: ['pool'] };
    labelledGauge(this.registry, about, () => [[POOL, read(this.database.pool)]]);
  }

  private expose(what: What, help: string): void {
    exposeTimers(this.registry, {
      name: `hikaricp_connections_${what}_seconds`,
      help,
      labelNames: ['pool'],
      read: () => [[POOL, this.timers[what]]],
    });
  }
}
