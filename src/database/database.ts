import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { serviceUnavailable } from '../http/problem/problem.js';
import type { LedgerQuery } from './client.js';
import { isConnectionLost, isTransient, type ConstraintErrors, toDatabaseProblem } from './errors.js';
import { Snapshot } from './snapshot.js';

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
/** After a restart every idle connection is dead: time for the pool to notice, in milliseconds. */
const PAUSE_AFTER_LOSS = 10;
/** Milliseconds. */
const READY_CHECK_INTERVAL = 5;

/** The one way to PostgreSQL: TypeORM's pool, with the repetitions and the translation of errors in one place. */
@Injectable()
export class Database {
  /** Set once the schema is known to be current; until then every request is answered 503. */
  ready = false;
  /** Whether owners are on several servers, so that a statement for several of them would go to all of these. */
  isSpread = false;
  private readonly preparesStatements: boolean;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.preparesStatements = settings.database.pooler !== 'transaction'; // its next session has not prepared them
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
  async read<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    return this.attempt(() => this.run<Row>(statement, values, true), statement, isConnectionLost);
  }

  /** Never repeated when its outcome is unknown; only after a deadlock, which undid it. */
  async write<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    return this.attempt(() => this.run<Row>(statement, values, false), statement);
  }

  /**
   * All of the work's statements or none, each with a timeout of its own. The work is done again after a deadlock, so
   * that it must change nothing but the database; never when it is not known whether it was stored.
   */
  async transaction<T>(work: (run: RunStatement) => Promise<T>): Promise<T> {
    return this.attempt(() => this.connected((client) => this.committed(client, work)));
  }

  /** A moment to read from, until it is ended: it holds a connection. PostgreSQL ends it after so many idle milliseconds. */
  async snapshot(idle: number): Promise<Snapshot> {
    return this.attempt(async () => Snapshot.begin(await this.connection(), idle), {}, isConnectionLost);
  }

  /** Work of a TypeORM repository, under the same rules as {@link write}. */
  async attempt<T>(
    work: () => Promise<T>,
    constraintErrors: ConstraintErrors = {},
    repeatable: (error: unknown) => boolean = isTransient,
  ): Promise<T> {
    if (!this.ready) throw serviceUnavailable('The database is not available yet.');
    for (let left = MAX_REPEATS; ; left--) {
      try {
        return await work();
      } catch (error) {
        if (left === 0 || !repeatable(error)) throw toDatabaseProblem(error, constraintErrors);
        if (isConnectionLost(error)) await sleep(PAUSE_AFTER_LOSS);
      }
    }
  }

  private async connection(): Promise<pg.PoolClient> {
    const { pool } = this;
    if (pool === undefined) throw serviceUnavailable('The database is not available yet.');
    return pool.connect();
  }

  private async run<Row extends pg.QueryResultRow>(
    statement: Statement,
    values: unknown[],
    readOnly: boolean,
  ): Promise<Row[]> {
    return this.connected(
      async (client) => (await client.query<Row>(this.query(statement, values, readOnly))).rows,
    );
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
        if (isTransient(error) || isConnectionLost(error)) throw error;
        throw toDatabaseProblem(error, statement);
      }
    };
    await client.query('BEGIN');
    try {
      const result = await work(run);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  private async connected<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.connection();
    let failure: unknown;
    try {
      return await work(client);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(isConnectionLost(failure));
    }
  }
}
