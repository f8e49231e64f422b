import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import type { DatabaseSettings } from '../config/database-settings.js';
import { type Logger, LOGGER } from '../config/logger.js';
import { Settings } from '../config/env.js';
import { CITUS, ON_CITUS, ONE_SERVER } from './citus.js';
import { LedgerClient } from './client.js';
import { unavailability, unavailable } from './errors.js';
import { PoolTimes } from './pool-metrics.js';
import { type Account, AUTHENTICATION, Shares } from './shares.js';

/** Milliseconds that the driver waits longer than PostgreSQL, so that PostgreSQL ends a slow statement. */
const QUERY_TIMEOUT_MARGIN = 1000;

/**
 * ISO is the only style of dates that pg reads, whatever the database's own is. PostgreSQL's 4 MB of memory for a step
 * of a statement are too little for the bitmap of a term that is in many rows: it then looks through whole pages
 * of the table again (590 ms in place of 117 ms, for one in every tenth of two million rows). Without parallel workers
 * one statement takes one processor: a search of one account otherwise takes three from the others.
 */
const PARAMETERS = { datestyle: 'ISO', work_mem: '16MB', max_parallel_workers_per_gather: '0' };

/** Connections of one instance for looking up callers. */
export const AUTHENTICATION_CONNECTIONS = 1;

/** The connections of the service, within the shares of the accounts. */
@Injectable()
export class Connections implements OnApplicationShutdown {
  readonly pool: pg.Pool;
  /** As the last connection has found it: the database may become one of Citus under a running service. */
  topology = ONE_SERVER;
  private readonly connect: () => Promise<pg.PoolClient>;
  /** For looking up callers; before there are any, for bringing the schema up to date. */
  readonly authentication: pg.Pool;

  constructor(
    { database: settings }: Settings,
    private readonly shares: Shares,
    metrics: PoolTimes,
    @Inject(LOGGER) logger: Logger,
  ) {
    const verify: pg.PoolConfig['verify'] = (client, done) =>
      void client.query(CITUS).then(({ rowCount }) => {
        this.topology = rowCount === 0 ? ONE_SERVER : ON_CITUS;
        if (client instanceof LedgerClient) client.topology = this.topology;
        done();
      }, done);
    this.pool = openPool(settings, settings.poolSize, verify).on('error', (error) =>
      logger.warn({ reason: unavailability(error) ?? 'unknown' }, 'an idle database connection was lost'),
    );
    this.connect = metrics.watch(this.pool);
    // Callers wait for the look-up before theirs: both must end soon where the database is away, or frozen.
    const statementTimeout = Math.min(settings.statementTimeout, settings.acquireTimeout);
    const acquireTimeout = settings.acquireTimeout / 2;
    const hasty = Object.assign({}, settings, { statementTimeout, acquireTimeout });
    // In place of one that is lost the next look-up opens another.
    this.authentication = openPool(hasty, AUTHENTICATION_CONNECTIONS).on('error', () => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.pool.end(), this.authentication.end()]);
  }

  /** Throws too-many-requests when the account's share is taken, and stays so. */
  async take(account: Account, isLong: boolean) {
    const leave = await this.shares.connection(account, isLong);
    try {
      const client = await (account === AUTHENTICATION ? this.authentication.connect() : this.connect());
      const release = (): void => {
        client.release();
        leave();
      };
      return { client, release };
    } catch (error) {
      leave();
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
function openPool(settings: DatabaseSettings, max: number, verify?: pg.PoolConfig['verify']): pg.Pool {
  const { statementTimeout: limit } = settings;
  const timeouts = { statement_timeout: limit, idle_in_transaction_session_timeout: limit };
  const options = Object.entries(PARAMETERS).map(([name, value]) => `-c ${name}=${value}`);
  return new pg.Pool({
    Client: LedgerClient,
    connectionString: settings.url,
    connectionTimeoutMillis: settings.acquireTimeout,
    query_timeout: limit + QUERY_TIMEOUT_MARGIN,
    keepAlive: true,
    application_name: 'property-finance',
    max,
    verify,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: settings.maxLifetime / 1000,
    ...(settings.pooler === 'none'
      ? { ...timeouts, options: options.join(' ') }
      : { transactionParameters: { ...timeouts, ...PARAMETERS }, pipeline: true }), // all its parts in one go
  });
}
