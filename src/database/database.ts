import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import type { Logger } from '../config/logger.js';
import { LOGGER, SETTINGS, type Settings } from '../config/settings.js';
import { serviceUnavailable } from '../http/problem/problem.js';
import { citusOf } from './citus.js';
import type { LedgerClient, LedgerQuery } from './client.js';
import { authenticationOptions } from './data-source.js';
import {
  isConnectionLost,
  isOutage,
  isTransient,
  type ConstraintErrors,
  toDatabaseProblem,
  unavailability,
} from './errors.js';
import { LedgerPool } from './pool.js';
import { type Account, AUTHENTICATION, NOBODY, Shares } from './shares.js';
import { type Connection, Snapshot } from './snapshot.js';

/** One SQL statement. With a name it is prepared once per connection; without, planned for its values each time. */
export interface Statement extends ConstraintErrors {
  readonly name?: string;
  readonly text: string;
}

/** A statement that was put together for its values. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly values: unknown[];
}

/** Runs one statement of a transaction. */
export type RunStatement = <Row extends pg.QueryResultRow>(
  statement: Statement,
  values: unknown[],
) => Promise<Row[]>;

const MAX_REPEATS = 2;
const PAUSE_AFTER_LOSS = 10; // milliseconds, in which the pool notices that idle connections are dead
const READY_CHECK_INTERVAL = 5; // milliseconds

/**
 * The one way to PostgreSQL: TypeORM's pool, with the shares of the accounts, the repetitions and the translation of
 * errors in one place. Every statement names the account that it is for, so that none can go uncounted by mistake.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  /** Set once the schema is known to be current; until then every request is answered 503. */
  ready = false;
  /**
   * Whether owners are on several servers, so that a statement for several of them would go to all of these, and that
   * PostgreSQL may be told of a timeout after another server has committed a write.
   */
  isSpread = false;
  private isAway = false; // at the latest statement
  private looking: Promise<void> | undefined;
  private readonly preparesStatements: boolean;
  private readonly authentication: pg.Pool;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) settings: Settings,
    private readonly shares: Shares,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.preparesStatements = settings.database.pooler !== 'transaction'; // its next session has not prepared them
    this.authentication = new LedgerPool(authenticationOptions(settings.database));
    this.authentication.on('error', () => undefined); // a new connection is opened
  }

  /** Waits for {@link ready}. False when it has not come within the milliseconds. */
  async becomesReady(within: number): Promise<boolean> {
    for (const deadline = Date.now() + within; !this.ready && Date.now() <= deadline;)
      await sleep(READY_CHECK_INTERVAL);
    return this.ready;
  }

  get pool(): pg.Pool | undefined {
    return (this.dataSource.driver as unknown as { master?: pg.Pool }).master;
  }

  /** Repeated on another connection when the one it ran on breaks. */
  async read<Row extends pg.QueryResultRow>(
    account: Account,
    statement: Statement,
    values: unknown[],
  ): Promise<Row[]> {
    return this.attempt(() => this.run<Row>(account, statement, values, true), statement, isConnectionLost);
  }

  /** Never repeated when its outcome is unknown; only after a deadlock, which undid it. */
  async write<Row extends pg.QueryResultRow>(
    account: Account,
    statement: Statement,
    values: unknown[],
  ): Promise<Row[]> {
    if (this.isSpread) return this.transaction(account, (run) => run<Row>(statement, values));
    await this.shares.write(account);
    return this.attempt(() => this.run<Row>(account, statement, values, false), statement);
  }

  /**
   * All of the work's statements or none, each with a timeout of its own. The work is done again after a deadlock, so
   * that it must change nothing but the database; never when it is not known whether it was stored.
   */
  async transaction<T>(account: Account, work: (run: RunStatement) => Promise<T>): Promise<T> {
    await this.shares.write(account);
    return this.transact(account, work);
  }

  /** A {@link transaction} of many rows: the account's other writes wait for it. */
  async bulkWrite<T>(account: Account, work: (run: RunStatement) => Promise<T>): Promise<T> {
    const release = await this.shares.bulkWrite(account);
    return this.transact(account, work).finally(release);
  }

  /** A moment to read from, until it is ended: it holds a connection. PostgreSQL ends it after so many idle milliseconds. */
  async snapshot(account: Account, idle: number): Promise<Snapshot> {
    const begin = async (): Promise<Snapshot> => Snapshot.begin(await this.connect(account, true), idle);
    return this.attempt(begin, {}, isConnectionLost);
  }

  /** Sets {@link isSpread}; asked for by many at once, it looks once. */
  async lookForCitus(): Promise<void> {
    this.looking ??= this.connected(NOBODY, async (client) => {
      this.isSpread = (await citusOf(client)) !== undefined;
    }).finally(() => (this.looking = undefined));
    return this.looking;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.authentication.end();
  }

  /** Repeats the work where its error says that nothing of it was stored. */
  private async attempt<T>(
    work: () => Promise<T>,
    constraintErrors: ConstraintErrors = {},
    repeatable: (error: unknown) => boolean = isTransient,
  ): Promise<T> {
    if (!this.ready) throw serviceUnavailable('The database is not available yet.');
    for (let left = MAX_REPEATS; ; left--) {
      try {
        const result = await work();
        if (this.isAway) this.logger.info('the database answers again');
        this.isAway = false;
        return result;
      } catch (error) {
        this.isAway ||= isOutage(error);
        if (left === 0 || !repeatable(error)) throw toDatabaseProblem(error, constraintErrors);
        if (isConnectionLost(error)) await sleep(PAUSE_AFTER_LOSS);
      }
    }
  }

  private async transact<T>(account: Account, work: (run: RunStatement) => Promise<T>): Promise<T> {
    return this.attempt(() => this.connected(account, (client) => this.committed(client, work)));
  }

  /** Throws too-many-requests when the account's share is taken, and stays so. */
  private async connect(account: Account, isLong = false): Promise<Connection> {
    const pool = account === AUTHENTICATION ? this.authentication : this.pool;
    if (pool === undefined) throw serviceUnavailable('The database is not available yet.');
    const leave = await this.shares.connection(account, isLong);
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

  private async run<Row extends pg.QueryResultRow>(
    account: Account,
    statement: Statement,
    values: unknown[],
    readOnly: boolean,
  ): Promise<Row[]> {
    const query = this.query(statement, values, readOnly);
    const isLong = statement.name === undefined; // planned each time, because its values decide how much it reads
    return this.connected(account, async (client) => (await client.query<Row>(query)).rows, isLong);
  }

  private query({ name, text }: Statement, values: unknown[], readOnly: boolean): LedgerQuery {
    return { name: this.preparesStatements ? name : undefined, text, values, readOnly };
  }

  private async committed<T>(client: pg.PoolClient, work: (run: RunStatement) => Promise<T>): Promise<T> {
    const run: RunStatement = async <Row extends pg.QueryResultRow>(
      statement: Statement,
      values: unknown[],
    ) => {
      try {
        return (await client.query<Row>(this.query(statement, values, false))).rows;
      } catch (error) {
        if (isTransient(error) || this.endsConnection(error)) throw error;
        throw toDatabaseProblem(error, statement);
      }
    };
    await client.query('BEGIN');
    try {
      const result = await work(run);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      if (!this.endsConnection(error)) await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  private async connected<T>(
    account: Account,
    work: (client: pg.PoolClient) => Promise<T>,
    isLong = false,
  ): Promise<T> {
    const { client, release } = await this.connect(account, isLong);
    let failure: unknown;
    try {
      return await work(client);
    } catch (error) {
      failure = error;
      if (unavailability(error) === 'read-only') this.leaveReader();
      throw error;
    } finally {
      release(this.endsConnection(failure));
    }
  }

  /** The connection that looks up callers never writes, so that it would stay with a server that only reads. */
  private leaveReader(): void {
    const leave = (client: pg.PoolClient): void => {
      (client as unknown as LedgerClient).leave();
      client.release();
    };
    this.authentication.connect().then(leave, () => undefined);
  }

  /** A server that waits for a frozen one says that the statement has timed out, but takes no other until that one is back. */
  private endsConnection(error: unknown): boolean {
    return isConnectionLost(error) || (this.isSpread && unavailability(error) === 'timeout');
  }
}
