import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { PoolEvents, type PoolListener } from '../../database/pool.js';
import { exposeTimers, Timer } from './timer.js';

const POOL = { pool: 'postgres' } as const;

/** The pool of connections, under HikariCP's names. Before there is one, as a pool without any connection. */
@Injectable()
export class PoolMetrics implements PoolListener {
  private readonly acquire: Timer;
  private readonly usage: Timer;
  private readonly creation: Timer;
  private readonly timeouts: Counter<'pool'>;

  constructor(
    private readonly registry: Registry,
    private readonly database: Database,
    @Inject(SETTINGS) { database: { poolSize } }: Pick<Settings, 'database'>,
    events: PoolEvents,
  ) {
    this.gauge('', 'All connections, those included that are being opened.', () => this.total);
    this.gauge('_active', 'Connections that are not idle.', () => this.total - this.idle);
    this.gauge('_idle', 'Connections that nobody holds.', () => this.idle);
    this.gauge('_pending', 'How many wait for a connection.', () => this.database.pool?.waitingCount ?? 0);
    this.gauge('_max', 'The most connections that the pool opens.', () => poolSize);
    this.gauge(
      '_min',
      'Idle connections that the pool keeps open.',
      () => this.database.pool?.options.min ?? 0,
    );
    this.acquire = this.timer('acquire', 'Time to get a connection, free or new.');
    this.usage = this.timer('usage', 'Time for which a connection was held.');
    this.creation = this.timer('creation', 'Time to open a connection.');
    this.timeouts = new Counter({
      name: 'hikaricp_connections_timeout_total',
      help: 'How often nobody got a connection in time.',
      labelNames: ['pool'],
      registers: [registry],
    });
    this.timeouts.inc(POOL, 0);
    events.listener = this;
  }

  acquired(seconds: number): void {
    this.acquire.record(seconds);
  }

  timedOut(): void {
    this.timeouts.inc(POOL);
  }

  used(seconds: number): void {
    this.usage.record(seconds);
  }

  created(seconds: number): void {
    this.creation.record(seconds);
  }

  private get total(): number {
    return this.database.pool?.totalCount ?? 0;
  }

  private get idle(): number {
    return this.database.pool?.idleCount ?? 0;
  }

  private gauge(suffix: string, help: string, read: () => number): void {
    new Gauge({
      name: `hikaricp_connections${suffix}`,
      help,
      labelNames: ['pool'],
      registers: [this.registry],
      collect() {
        this.set(POOL, read());
      },
    });
  }

  private timer(what: string, help: string): Timer {
    const timer = new Timer();
    exposeTimers(this.registry, {
      name: `hikaricp_connections_${what}_seconds`,
      help,
      labelNames: ['pool'],
      read: () => [[POOL, timer]],
    });
    return timer;
  }
}
