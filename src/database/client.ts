import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ONE_SERVER } from './citus.js';
import { unavailability } from './errors.js';

/** Milliseconds. A younger connection to a server that only reads is kept: not every refused write opens another. */
const WORTH_REPLACING = 1000;

/** What pg makes of the description of a result. */
type Columns = Readonly<Record<'fields' | '_parsers' | '_prebuiltEmptyResultObject', unknown>>;

export interface LedgerClientConfig extends pg.ClientConfig {
  /** What each transaction sets for itself, because a pooler shares out the session. */
  readonly transactionStart?: readonly string[];
}

/**
 * A connection that ends after an error which says that it can serve no longer: a pool keeps none that is ending. After its
 * `query_timeout` pg gives up a query, and the connection is still busy with it. After a write that the server refused
 * because it only reads, a proxy may lead a new connection to the server that takes writes.
 */
export class LedgerClient extends pg.Client {
  /** As the pool has found it. */
  topology = ONE_SERVER;
  readonly transactionStart: LedgerClientConfig['transactionStart'];
  readonly #openedAt = performance.now();
  /** By the statement's name. PostgreSQL refuses a prepared statement whose columns have changed. */
  readonly #columns = new Map<string | undefined, Columns>();
  readonly #undescribed: pg.Connection;

  constructor(config: LedgerClientConfig = {}) {
    super({ ...config, pipeline: config.transactionStart !== undefined }); // a begin and its statement in one go
    this.transactionStart = config.transactionStart;
    const connection = Object.create(Reflect.get(this, 'connection')) as pg.Connection;
    this.#undescribed = Object.assign(connection, { describe: () => undefined });
    // A connection that breaks fails its query and also emits an error. The pool listens to idle connections only,
    // and an error event without a listener would end the process.
    this.on('error', () => undefined);
  }

  /** Milliseconds since it began to be opened. */
  get age(): number {
    return performance.now() - this.#openedAt;
  }

  /** Ends a connection to a server that only reads, unless it is new. */
  leave(): void {
    if (this.age >= WORTH_REPLACING) void this.end();
  }

  /** Also while it is being opened. */
  destroy(): void {
    (Reflect.get(this, 'connection') as { stream: { destroy(): void } }).stream.destroy();
  }

  /** Lifts the driver's timeout of a query. Returns the function that sets it again. */
  takeTime(): () => void {
    const parameters = Reflect.get(this, 'connectionParameters') as { query_timeout: number };
    const { query_timeout } = parameters;
    parameters.query_timeout = 0;
    return () => void (parameters.query_timeout = query_timeout);
  }

  // pg's declaration has seven overloads; only the promise is of interest here.
  override query = ((...args: unknown[]): unknown => {
    const [config] = args as [pg.QueryConfig];
    if (config.name !== undefined) return this.#sendPrepared(config);
    const result = (super.query as (...args: unknown[]) => unknown).apply(this, args);
    if (result instanceof Promise) result.catch((error: unknown) => this.#judge(error));
    return result;
  }) as pg.Client['query'];

  /**
   * As a query: pg would copy a configuration member by member, in a sixth of the driver's time. It would also have the columns
   * described each time: a tenth of Node's time for a read by id, and a twentieth of PostgreSQL's.
   */
  #sendPrepared({ text, values, ...rest }: pg.QueryConfig): Promise<unknown> {
    const known = this.#columns.get(rest.name);
    return new Promise((resolve, reject) => {
      const query = new pg.Query(text, values, (error, result) => {
        if (error) {
          this.#judge(error);
          reject(error);
          return;
        }
        const { fields, _parsers, _prebuiltEmptyResultObject } = Reflect.get(query, '_result') as Columns;
        if (!known) this.#columns.set(rest.name, { fields, _parsers, _prebuiltEmptyResultObject });
        resolve(result);
      });
      if (known) {
        const submit = query.submit.bind(query, this.#undescribed);
        Object.assign(query, { submit, _accumulateRows: true });
        Object.assign(Reflect.get(query, '_result') as object, known);
      }
      super.query(Object.assign(query, rest));
    });
  }

  /** Ends the connection unless the server's answer shows that it is well. */
  #judge(error: unknown): void {
    const isAnswer = error instanceof pg.DatabaseError;
    if (isAnswer) error.code = this.topology.codeOf(error);
    const reason = unavailability(error) ?? '';
    const isStuck = reason === 'timeout' && !this.topology.survivesTimeouts;
    if (reason === 'read-only') this.leave();
    else if (!isAnswer || isStuck || ['connection-lost', 'prepared-statements'].includes(reason))
      void this.end();
  }
}

/** Fails where a pooler shares sessions unannounced: the second connection holds that of the first's prepared statement. */
export async function requireOwnSession(first: pg.ClientBase, second: pg.ClientBase): Promise<void> {
  const limit = { query_timeout: 2000 }; // for a pooler without a session to spare
  const prepared = { name: randomUUID(), text: 'SELECT', ...limit };
  await first.query(prepared);
  await second.query({ text: 'BEGIN', ...limit });
  await first.query(prepared).finally(() => second.query('ROLLBACK'));
}
