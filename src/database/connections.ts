import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { Registry } from 'prom-client';
import type { Logger } from '../config/logger.js';
import { LOGGER, SETTINGS, type Settings } from '../config/settings.js';
import type { LedgerClient } from './client.js';
import { unavailability } from './errors.js';
import { AUTHENTICATION_CONNECTIONS, openPool } from './pool.js';
import { PoolMetrics } from './pool-metrics.js';
import { type Account, AUTHENTICATION, Shares } from './shares.js';

/** A connection in use. */
export interface Connection {
  readonly client: pg.PoolClient;
  readonly release: (isLost: boolean) => void;
}

/** The connections of the service, within the shares of the accounts. */
@Injectable()
export class Connections implements OnApplicationShutdown {
  readonly pool: pg.Pool;
  private readonly counted: PoolMetrics;
  /** For looking up callers. */
  private readonly authentication: pg.Pool;

  constructor(
    @Inject(SETTINGS) { database: settings }: Pick<Settings, 'database'>,
    private readonly shares: Shares,
    registry: Registry,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.pool = openPool(settings, settings.poolSize).on('error', (error) =>
      logger.warn({ reason: unavailability(error) ?? 'unknown' }, 'an idle database connection was lost'),
    );
    this.counted = new PoolMetrics(registry, this.pool);
    // Callers wait for the look-up before theirs, so that one in a frozen database must end soon.
    const statementTimeout = Math.min(settings.statementTimeout, settings.acquireTimeout);
    const patience = Object.assign({}, settings, { statementTimeout });
    this.authentication = openPool(patience, AUTHENTICATION_CONNECTIONS);
    this.authentication.on('error', () => undefined); // the next look-up opens another
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.pool.end(), this.authentication.end()]);
  }

  /** Throws too-many-requests when the account's share is taken, and stays so. */
  async take(account: Account, isLong: boolean): Promise<Connection> {
    const leave = await this.shares.connection(account, isLong);
    const pool = account === AUTHENTICATION ? this.authentication : this.counted;
    try {
      const client = await pool.connect();
      const release = (isLost: boolean): void => {
        client.release(isLost);
        leave();
      };
      return { client, release };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** The connection that looks up callers never writes: by itself it would stay with a server that only reads. */
  leaveReader(): void {
    const leave = (client: pg.PoolClient): void => {
      (client as unknown as LedgerClient).leave();
      client.release();
    };
    this.authentication.connect().then(leave, () => undefined);
  }
}
