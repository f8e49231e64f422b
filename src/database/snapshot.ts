import type pg from 'pg';
import { type ConstraintErrors, isConnectionLost, toDatabaseProblem } from './errors.js';

/** A connection in use. */
export interface Connection {
  readonly client: pg.PoolClient;
  readonly release: (isLost: boolean) => void;
}

/** A transaction that reads: all of its statements see the same moment. It holds its connection until it is ended. */
export class Snapshot {
  private failure: unknown;

  private constructor(private readonly connection: Connection) {}

  /** PostgreSQL ends it when no statement comes for so many milliseconds. */
  static async begin(connection: Connection, idle: number): Promise<Snapshot> {
    const snapshot = new Snapshot(connection);
    try {
      await snapshot.run('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await snapshot.run(`SET LOCAL idle_in_transaction_session_timeout = ${idle}`);
      return snapshot;
    } catch (error) {
      await snapshot.end();
      throw error;
    }
  }

  async read<Row extends pg.QueryResultRow>(
    statement: ConstraintErrors & { readonly text: string },
    values: unknown[] = [],
  ): Promise<Row[]> {
    try {
      return await this.run<Row>(statement.text, values);
    } catch (error) {
      throw toDatabaseProblem(error, statement);
    }
  }

  /** Gives the connection back. Must be called once, and never fails. */
  async end(): Promise<void> {
    if (!isConnectionLost(this.failure)) await this.run('ROLLBACK').catch(() => undefined);
    this.connection.release(isConnectionLost(this.failure));
  }

  private async run<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    try {
      return (await this.connection.client.query<Row>(text, values)).rows;
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}
