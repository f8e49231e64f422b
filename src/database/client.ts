import pg from 'pg';
import { NO_STANDBY, QUERY_TIMED_OUT, READ_ONLY, UNSERVED } from './errors.js';
import { NoServerError, type Server, type Servers, UnwantedServerError } from './servers.js';

/** Milliseconds. Where every server only reads, not each refused write shall open another connection. */
const WORTH_REPLACING = 1000;

const IDLE = 'I';
const BEGINS = /^(BEGIN|START)\b/i;

export interface LedgerClientConfig extends pg.ClientConfig {
  readonly servers: Servers;
  /**
   * Parameters that the session cannot keep, because a pooler shares it out: each transaction begins with them. Needs
   * `pipeline`.
   */
  readonly transactionParameters?: Readonly<Record<string, string | number>> | undefined;
}

const ROLE =
  "SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS \"readOnly\"";

interface ServerRole {
  readonly standby: boolean;
  readonly readOnly: boolean;
}

/** What pg has of a connection, and declares nowhere. */
interface Wire {
  readonly stream: { destroy(): void };
  readonly parsedStatements: Readonly<Record<string, string>>;
}

export interface LedgerQuery extends pg.QueryConfig {
  /** It changes nothing, so that nobody has to wait for its answer before its transaction ends. */
  readonly readOnly?: boolean;
}

/**
 * A connection to the server that is to be tried when it is made, and only if that one is what is wanted. It does not
 * outlive a query nobody waits for any more. When `query_timeout` passes, pg gives up the query and hands the
 * connection, still busy, back to the pool; the next query would wait behind it. Nor does one survive that leads to a
 * server which does not take writes: a new one may find the server that does.
 */
export class LedgerClient extends pg.Client {
  readonly server: Server | undefined;
  readonly #servers: Servers;
  readonly #openedAt = performance.now();
  /** Statements that give a transaction its parameters. */
  readonly #parameters: string | undefined;

  constructor({ servers, ...config }: LedgerClientConfig) {
    const server = servers.next();
    super({ ...config, connectionString: server?.url, connectionTimeoutMillis: servers.connectTimeout });
    this.server = server;
    this.#servers = servers;
    const { transactionParameters: parameters } = config;
    if (parameters !== undefined)
      this.#parameters = Object.entries(parameters)
        .map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
        .join('; ');
    // A connection that breaks fails its query and also emits an error. The pool listens to idle connections only,
    // and an error event without a listener would end the process.
    this.on('error', () => undefined);
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | undefined) => void): void;
  override connect(callback?: (error: Error | undefined) => void): Promise<this> | undefined {
    const opening = this.#open();
    if (callback === undefined) return opening.then(() => this);
    opening.then(() => callback(undefined), callback);
    return undefined;
  }

  /** Also while it is being opened. */
  destroy(): void {
    this.#wire.stream.destroy();
  }

  // pg's declaration has seven overloads; only the promise is of interest here.
  override query = ((...args: unknown[]): unknown => {
    const [first, values] = args;
    if (this.#parameters === undefined || this.getTransactionStatus() !== IDLE) return this.#send(args);
    if (typeof args.at(-1) === 'function') return this.#send(args); // TypeORM, when it looks around at the start
    const query = (typeof first === 'string' ? { text: first, values } : first) as LedgerQuery;
    if (BEGINS.test(query.text)) return this.#send([`${query.text}; ${this.#parameters}`]);
    return this.#inTransaction(query);
  }) as pg.Client['query'];

  /**
   * A pooler may hand on a statement long after it was sent, and PostgreSQL goes on with it when nobody waits any more.
   * A write is therefore committed in a step of its own: whoever has been told of a failure never takes that step.
   */
  async #inTransaction({ readOnly = false, ...query }: LedgerQuery): Promise<unknown> {
    const begin = `BEGIN${readOnly ? ' READ ONLY' : ''}; ${this.#parameters}`;
    const steps = [this.#send([begin]), this.#send([query])];
    if (readOnly) steps.push(this.#send(['COMMIT']));
    const [begun, done, committed] = await Promise.allSettled(steps);
    const failed = [begun, done, committed].find((step) => step?.status === 'rejected');
    if (failed === undefined) {
      if (!readOnly) await this.#send(['COMMIT']);
      return (done as PromiseFulfilledResult<unknown>).value;
    }
    if (!readOnly) await this.#send(['ROLLBACK']).catch(() => undefined);
    // PgBouncer knows the name of a statement that could not be prepared, and ends a connection on which it comes again.
    if (query.name !== undefined && !(query.name in this.#wire.parsedStatements)) void this.end();
    throw begun === failed && isTimeout(failed.reason) ? new Error(UNSERVED) : failed.reason;
  }

  #send(args: unknown[]): Promise<unknown> {
    const result = (super.query as (...args: unknown[]) => Promise<unknown>).apply(this, args);
    if (result instanceof Promise) result.catch((error: unknown) => this.#dropIfUseless(error));
    return result;
  }

  get #wire(): Wire {
    return (this as unknown as { connection: Wire }).connection;
  }

  #dropIfUseless(error: unknown): void {
    if (error instanceof pg.DatabaseError && error.code === READ_ONLY) {
      if (performance.now() - this.#openedAt < WORTH_REPLACING) return;
      void this.end(); // the pool, to which it is given back in a moment, keeps none that is ending
    } else if (isTimeout(error)) {
      this.destroy();
    }
  }

  async #open(): Promise<void> {
    const { server } = this;
    if (server === undefined) throw this.#servers.none();
    try {
      await super.connect();
      if (this.#servers.wanted !== 'any') await this.#requireRole();
    } catch (error) {
      void this.end().catch(() => undefined);
      throw this.#servers.failed(server, error as Error);
    }
    this.#servers.succeeded(server);
  }

  /**
   * Asked, not taken from what PostgreSQL reports at the start: a pooler repeats what its first connection has heard.
   */
  async #requireRole(): Promise<void> {
    const { wanted, connectTimeout } = this.#servers;
    const question = { text: ROLE, query_timeout: connectTimeout };
    const { rows } = (await this.#send([question])) as pg.QueryResult<ServerRole>;
    const { standby = false, readOnly = false } = rows[0] ?? {};
    const fits = { any: true, standby, primary: !standby, 'read-write': !standby && !readOnly }[wanted];
    if (fits) return;
    if (wanted === 'standby') throw new UnwantedServerError('it is no standby', NO_STANDBY);
    throw new UnwantedServerError(standby ? 'it is a standby' : 'it only reads');
  }
}

/** A connection to the first of the servers that is what is wanted, each tried once. */
export async function connectTo<Client extends LedgerClient>(
  servers: Servers,
  make: () => Client,
): Promise<Client> {
  for (let left = servers.all.length; ; left--) {
    const client = make();
    try {
      return await client.connect();
    } catch (error) {
      if (left <= 1 || !(error instanceof NoServerError)) throw error;
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === QUERY_TIMED_OUT;
}
