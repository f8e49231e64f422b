import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import pg from 'pg';
import type { Counter } from 'prom-client';
import { counterProvider, gaugeProvider, timerProviders } from '../common/metrics/providers.js';
import { Timer } from '../common/metrics/timer.js';
import type { DatabaseSettings } from '../config/database-settings.js';
import { type Logger, LOGGER } from '../config/logger.js';
import { Settings } from '../config/env.js';
import { CITUS, ON_CITUS, ONE_SERVER } from './citus.js';
import { LedgerClient } from './client.js';
import { unavailability, unavailable } from './errors.js';
import { type Account, AUTHENTICATION, Shares } from './shares.js';

/** Milliseconds that the driver waits longer than PostgreSQL, so that PostgreSQL ends a slow statement. */
const QUERY_TIMEOUT_MARGIN = 1000;

/**
 * ISO is the only style of dates that pg reads, whatever the database's own is. Where the bitmap of a term in many rows has
 * too little memory, PostgreSQL looks through whole pages again, other owners' rows too. A term in every tenth of two million
 * rows takes 590 ms with its 4 MB and 117 ms with 16; of ten million 2.3 s with 16 and 0.9 s with 24. Without parallel workers
 * one statement takes one processor: a search of one account otherwise takes three from the others.
 */
const PARAMETERS = { datestyle: 'ISO', work_mem: '24MB', max_parallel_workers_per_gather: '0' };

/** Connections of one instance for looking up callers. */
export const AUTHENTICATION_CONNECTIONS = 1;

const POOL = { pool: 'postgres' }; // the labels of every series; dashboards for HikariCP choose by the pool
const NAME = 'hikaricp_connections';
const TIMEOUTS = `${NAME}_timeout_total`;

/** The connections of the service, within the shares of the accounts. */
@Injectable()
export class Connections implements OnApplicationShutdown {
  readonly pool: pg.Pool;
  /** As the last connection has found it: the database may become one of Citus under a running service. */
  topology = ONE_SERVER;
  /** For looking up callers; before there are any, for bringing the schema up to date. */
  readonly authentication: pg.Pool;
  readonly timers = { acquire: new Timer(), usage: new Timer(), creation: new Timer() };

  constructor(
    { database: settings }: Settings,
    private readonly shares: Shares,
    @Inject(LOGGER) logger: Logger,
    @InjectMetric(TIMEOUTS) private readonly timeouts: Counter,
  ) {
    // Not pg's `verify`: a pool would lose a connection whose verification ends when nobody waits for it any more.
    const onConnect = async (client: pg.ClientBase): Promise<void> => {
      const { rowCount } = await client.query(CITUS);
      this.topology = rowCount === 0 ? ONE_SERVER : ON_CITUS;
      if (client instanceof LedgerClient) client.topology = this.topology;
    };
    const { creation } = this.timers;
    this.pool = openPool(settings, settings.poolSize, onConnect)
      .on('connect', (client) => client instanceof LedgerClient && creation.record(client.age / 1000))
      .on('error', (error) => {
        const reason = unavailability(error) ?? 'unknown';
        logger.warn({ reason }, 'an idle database connection was lost');
      });
    // Callers wait for the look-up before theirs: both must end soon where the database is away, or frozen.
    const statementTimeout = Math.min(settings.statementTimeout, settings.acquireTimeout);
    const acquireTimeout = settings.acquireTimeout / 2;
    const hasty = Object.assign({}, settings, { statementTimeout, acquireTimeout });
    // In place of one that is lost the next look-up opens another.
    this.authentication = openPool(hasty, AUTHENTICATION_CONNECTIONS).on('error', () => undefined);
    timeouts.inc(POOL, 0);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.pool.end(), this.authentication.end()]);
  }

  /** Throws too-many-requests when the account's share is taken, and stays so. */
  async take(account: Account, isLong: boolean) {
    const leave = await this.shares.connection(account, isLong);
    const isTimed = account !== AUTHENTICATION;
    const start = performance.now();
    try {
      const pool = isTimed ? this.pool : this.authentication;
      const client = (await pool.connect()) as pg.PoolClient & LedgerClient;
      const since = performance.now();
      if (isTimed) this.timers.acquire.record((since - start) / 1000);
      const release = (): void => {
        client.release();
        leave();
        if (isTimed) this.timers.usage.record((performance.now() - since) / 1000);
      };
      return { client, release };
    } catch (error) {
      leave();
      if (isTimed && unavailability(error) === 'timeout') this.timeouts.inc(POOL);
      throw unavailable(error); // a server that opens no session is away, whatever it says
    }
  }

  /** The connection that looks up callers never writes: by itself it would stay with a server that only reads. */
  leaveReader(): void {
    const leave = (client: pg.PoolClient): void => {
      if (client instanceof LedgerClient) client.leave();
      client.release();
    };
    this.authentication.connect().then(leave, () => undefined);
  }
}

/** A pool of at most so many connections. A pooler would keep or refuse startup parameters. */
function openPool(
  settings: DatabaseSettings,
  max: number,
  onConnect?: (client: pg.ClientBase) => Promise<void>,
): pg.Pool {
  const { statementTimeout: limit } = settings;
  const timeouts = { statement_timeout: limit, idle_in_transaction_session_timeout: limit };
  const all = Object.entries({ ...timeouts, ...PARAMETERS });
  return new pg.Pool({
    Client: LedgerClient,
    connectionString: settings.url,
    connectionTimeoutMillis: settings.acquireTimeout,
    query_timeout: limit + QUERY_TIMEOUT_MARGIN,
    keepAlive: true,
    application_name: 'property-finance',
    max,
    onConnect: onConnect as pg.PoolConfig['onConnect'], // whose type does not say that pg waits
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: settings.maxLifetime / 1000,
    ...(settings.pooler === 'none'
      ? { options: all.map(([name, value]) => `-c ${name}=${value}`).join(' ') }
      : { transactionStart: all.map(([name, value]) => `${name} = '${value}'`) }),
  });
}

const labelNames = Object.keys(POOL);
const number = (suffix: string, help: string, valueOf: (pool: pg.Pool) => number): Provider => {
  const read = ({ pool }: Connections) => [[POOL, valueOf(pool)] as const];
  return gaugeProvider({ name: `${NAME}${suffix}`, help, labelNames, inject: [Connections], read });
};

const timer = (what: keyof Connections['timers'], help: string) => {
  const read = ({ timers }: Connections) => [[POOL, timers[what]] as const];
  return timerProviders({ name: `${NAME}_${what}_seconds`, help, labelNames, inject: [Connections], read });
};

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
