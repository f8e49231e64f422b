import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { Settings } from '../config/env.js';
import type { Topology } from './citus.js';
import { type LedgerClient, requireOwnSession } from './client.js';
import { Connections } from './connections.js';
import {
  type ConstraintErrors,
  isConnectionLost,
  isTransient,
  meaningOf,
  Unavailable,
  unavailability,
  unavailable,
} from './errors.js';
import { type Account, AUTHENTICATION, NOBODY, Shares } from './shares.js';

/** One SQL statement. With a name it is prepared once per connection; without, planned for its values each time. */
export interface Statement extends ConstraintErrors {
  readonly name?: string | undefined;
  readonly text: string;
  /** The names of its values in their order, where they may be given by name. */
  readonly parameters?: readonly string[];
  /** Reads any number of rows, such as a search or a report: it counts against the share of long statements. */
  readonly isLong?: boolean | undefined;
}

/** A statement that was put together for its values. */
export type BoundStatement = Readonly<{ statement: Statement; values: unknown[] }>;

type AnyRow = pg.QueryResultRow;

/** Runs one statement of a transaction, with its values in a list, or in an object by name. */
export type RunStatement = <Row extends AnyRow>(statement: Statement, values: object) => Promise<Row[]>;

/** The statements of one transaction. */
export type Work<T> = (run: RunStatement) => Promise<T>;

/** Of a transaction that did not even begin in time: PostgreSQL is stopped, or a pooler had no connection to spare. */
const UNSERVED =
  'timeout before the transaction began: is the pool of the pooler smaller than DB_POOL_SIZE of all instances?';

/** The sessions that hold a snapshot, as PostgreSQL shows them. */
export const EXPORT_NAME = 'property-finance export';
const MAX_REPEATS = 2;
const PAUSE_AFTER_LOSS = 10; // milliseconds, in which the pool notices that idle connections are dead
const READY_CHECK_INTERVAL = 5; // milliseconds

/** The one way to PostgreSQL, which repeats, and translates errors. Each statement names its account: none is uncounted. */
@Injectable()
export class Database {
  /** Whether the schema is known to be current; every request is answered 503 before. */
  ready = false;
  /** Whether a session keeps its prepared statements. */
  private readonly prepares = this.settings.database.pooler !== 'transaction';

  constructor(
    private readonly settings: Settings,
    private readonly connections: Connections,
    private readonly shares: Shares,
  ) {}

  get topology(): Topology {
    return this.connections.topology;
  }

  /** Waits for {@link ready}. False when it has not come within the milliseconds. */
  async becomesReady(within: number): Promise<boolean> {
    for (const deadline = Date.now() + within; !this.ready && Date.now() <= deadline;)
      await sleep(READY_CHECK_INTERVAL);
    return this.ready;
  }

  /** Repeated where it had no result: its connection broke, or PostgreSQL undid it. */
  read<Row extends AnyRow>(account: Account, statement: Statement, values: object): Promise<Row[]> {
    return this.attempt(
      () => this.run<Row>(account, statement, values),
      (error) => isConnectionLost(error) || isTransient(error),
    );
  }

  /** Never repeated when its outcome is unknown; only after a deadlock, which undid it. */
  async write<Row extends AnyRow>(account: Account, statement: Statement, values: object): Promise<Row[]> {
    if (this.topology.commitsApart) return this.transaction(account, (run) => run<Row>(statement, values));
    await this.shares.write(account);
    return this.attempt(() => this.run<Row>(account, statement, values));
  }

  /** Work for the account on a connection that others share: it takes one of the account's places all the same. */
  async inShareOf<T>(account: Account, work: () => Promise<T>): Promise<T> {
    await this.shares.write(account);
    const leave = await this.shares.connection(account, false);
    return work().finally(leave);
  }

  /** All statements or none, each with its timeout. The work is repeated after a deadlock, and may change nothing else. */
  async transaction<T>(account: Account, work: Work<T>): Promise<T> {
    await this.shares.write(account);
    return this.transact(account, work);
  }

  /** A {@link transaction} of many rows: the account's other writes wait for it. */
  async bulkWrite<T>(account: Account, work: Work<T>): Promise<T> {
    const release = await this.shares.bulkWrites.take(account);
    return this.transact(account, work).finally(release);
  }

  /** Results that see one moment. PostgreSQL ends the connection after `idle` milliseconds without a statement. */
  async *snapshot<T>(
    account: Account,
    idle: number,
    work: (run: RunStatement) => AsyncGenerator<T, void>,
  ): AsyncGenerator<T, void> {
    const { client, release } = await this.attempt(() => this.beginSnapshot(account, idle), isConnectionLost);
    try {
      yield* work(this.runOn(client));
    } finally {
      await rollback(client);
      release();
    }
  }

  /** Makes it {@link ready}. To be called once the schema is current. */
  async open(): Promise<void> {
    await this.connected(NOBODY, async (first) =>
      this.connected(AUTHENTICATION, async (second) => this.prepares && requireOwnSession(first, second)),
    );
    this.ready = true;
  }

  /** Repeats the work where its error says that nothing of it was stored. */
  private async attempt<T>(work: () => Promise<T>, isRepeatable = isTransient): Promise<T> {
    if (!this.ready) throw new Unavailable('The database is not available yet.');
    for (let left = MAX_REPEATS; ; left--) {
      try {
        return await work();
      } catch (error) {
        if (left === 0 || !isRepeatable(error)) throw error;
        if (isConnectionLost(error)) await sleep(PAUSE_AFTER_LOSS);
      }
    }
  }

  private async transact<T>(account: Account, work: Work<T>): Promise<T> {
    return this.attempt(() => this.connected(account, (client) => this.committed(client, work)));
  }

  private async beginSnapshot(account: Account, idle: number) {
    const connection = await this.connections.take(account, true);
    try {
      const own = [`idle_in_transaction_session_timeout = ${idle}`, `application_name = '${EXPORT_NAME}'`];
      await this.begin(connection.client, 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY', own);
      return connection;
    } catch (error) {
      await rollback(connection.client);
      connection.release();
      throw error;
    }
  }

  private run<Row extends AnyRow>(account: Account, statement: Statement, values: object) {
    const one: Work<Row[]> = (run) => run<Row>(statement, values);
    const work = (client: LedgerClient): Promise<Row[]> =>
      client.transactionStart === undefined ? one(this.runOn(client)) : this.committed(client, one, true);
    return this.connected(account, work, statement.isLong);
  }

  /** The commit is a step of its own: a pooler may pass a statement on late, which is then carried out when nobody waits. */
  private async committed<T>(client: LedgerClient, work: Work<T>, isOne = false): Promise<T> {
    try {
      const begun = this.begin(client);
      if (!isOne) await begun;
      const run = this.runOn(client);
      const [result] = await Promise.all([work(run), begun]);
      await run({ text: 'COMMIT' }, []);
      return result;
    } catch (error) {
      await rollback(client);
      throw error;
    }
  }

  private async begin(client: LedgerClient, begin = 'BEGIN', parameters: string[] = []): Promise<void> {
    const { transactionStart = [] } = client;
    const text = [begin, ...[...transactionStart, ...parameters].map((one) => `SET LOCAL ${one}`)].join('; ');
    await this.runOn(client)({ text }, []).catch((error: unknown) => {
      const isUnserved = transactionStart.length > 0 && unavailability(error) === 'timeout';
      throw isUnserved ? unavailable(new Error(UNSERVED)) : error;
    });
  }

  /** Only here do the driver's errors get their meaning. */
  private runOn(client: LedgerClient): RunStatement {
    return async <Row extends AnyRow>(statement: Statement, values: object) => {
      const { name, text, parameters = [] } = statement;
      const members = values as Readonly<Record<string, unknown>>;
      const list = Array.isArray(values) ? values : parameters.map((parameter) => members[parameter]);
      try {
        return (await client.query<Row>({ name: this.prepares ? name : undefined, text, values: list })).rows;
      } catch (error) {
        throw meaningOf(error, statement);
      }
    };
  }

  private async connected<T>(account: Account, work: (client: LedgerClient) => Promise<T>, isLong = false) {
    const { client, release } = await this.connections.take(account, isLong);
    try {
      return await work(client);
    } catch (error) {
      const reason = unavailability(error);
      if (reason === 'read-only') this.connections.leaveReader();
      if (reason === 'prepared-statements') this.ready = false; // a setting is wrong
      throw error;
    } finally {
      release();
    }
  }
}

/** Fails on a connection that is lost, and then has nothing to undo. */
async function rollback(client: LedgerClient): Promise<void> {
  await client.query('ROLLBACK').catch(() => undefined);
}
