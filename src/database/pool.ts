import pg from 'pg';
import { LedgerClient } from './client.js';
import { unavailability } from './errors.js';

/** Told what happens around the pool. Times are seconds. */
export interface PoolListener {
  /** How long it took to get a connection, free or new. */
  acquired(seconds: number): void;
  /** Nobody got a connection in time. */
  timedOut(): void;
  /** How long a connection was held. */
  used(seconds: number): void;
  /** How long it took to open a connection. */
  created(seconds: number): void;
}

/** Holds the listener for the pool, which is made late, and anew at every attempt to connect. */
export class PoolEvents {
  listener: PoolListener | undefined;
}

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
  readonly events?: PoolEvents;
}

/** pg's pool, timed wherever a connection is taken from it: by TypeORM, by a query or by our own statements. */
export class LedgerPool extends pg.Pool {
  private readonly events: PoolEvents;

  constructor(options: LedgerPoolConfig) {
    super(Object.assign({}, options, { Client: PooledClient }));
    this.events = options.events ?? new PoolEvents();
    const { maxLifetimeSeconds: longest = 0 } = options;
    // The pool reads it once for each connection that it opens.
    Object.defineProperty(this.options, 'maxLifetimeSeconds', { get: () => spread(longest) });
    this.on('connect', (client) => this.events.listener?.created(secondsSince(timesOf(client).createdAt)));
    this.on('acquire', (client) => (timesOf(client).acquiredAt = performance.now()));
    this.on('release', (_, client) => this.events.listener?.used(secondsSince(timesOf(client).acquiredAt)));
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
      if (client !== undefined) this.events.listener?.acquired(secondsSince(start));
      else if (unavailability(error) === 'pool-timeout') this.events.listener?.timedOut();
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
