import pg from 'pg';
import { LedgerClient } from './client.js';
import { unavailability } from './errors.js';
import type { PoolMetrics } from './pool-metrics.js';

/** By what part of its longest life a connection may end sooner. */
const SPREAD = 0.2;

/** A connection that knows its times. */
class PooledClient extends LedgerClient {
  readonly createdAt = performance.now();
  acquiredAt = 0;
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error | boolean) => void,
) => void;

export interface LedgerPoolConfig extends pg.PoolConfig {
  readonly metrics?: PoolMetrics;
}

/** pg's pool, timed wherever a connection is taken from it: by TypeORM, by a query or by our own statements. */
export class LedgerPool extends pg.Pool {
  private readonly metrics: PoolMetrics | undefined;

  constructor(options: LedgerPoolConfig) {
    super(Object.assign({}, options, { Client: PooledClient }));
    this.metrics = options.metrics;
    if (this.metrics !== undefined) this.metrics.pool = this;
    const { maxLifetimeSeconds: longest = 0 } = options;
    // The pool reads it once for each connection that it opens.
    Object.defineProperty(this.options, 'maxLifetimeSeconds', { get: () => spread(longest) });
    this.on('connect', (client) => this.metrics?.creation.record(secondsSince(timesOf(client).createdAt)));
    this.on('acquire', (client) => (timesOf(client).acquiredAt = performance.now()));
    this.on('release', (_, client) => this.metrics?.usage.record(secondsSince(timesOf(client).acquiredAt)));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    if (callback === undefined) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => {
          if (client !== undefined) resolve(client);
          else reject(error ?? new Error('the pool gave no connection'));
        });
      });
    }
    const start = performance.now();
    super.connect((error, client, release) => {
      if (client !== undefined) this.metrics?.acquire.record(secondsSince(start));
      else if (unavailability(error) === 'pool-timeout') this.metrics?.timedOut();
      callback(error, client, release);
    });
    return undefined;
  }
}

/** Connections that were opened together would else end together. */
function spread(longest: number): number {
  return longest * (1 - SPREAD * Math.random());
}

function timesOf(client: pg.PoolClient): PooledClient {
  return client as unknown as PooledClient; // the pool makes no others
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}
