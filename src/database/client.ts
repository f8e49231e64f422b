import pg from 'pg';
import { QUERY_TIMED_OUT, READ_ONLY, UNSERVED } from './errors.js';

/** Milliseconds. Where the server only reads, not each refused write opens another connection. */
const WORTH_REPLACING = 1000;

const IDLE = 'I';
const BEGINS = /^(BEGIN|START)\b/i;

export interface LedgerClientConfig extends pg.ClientConfig {
  /**
   * Parameters that the session cannot keep, because a pooler shares it out: each transaction begins with them. Needs
   * `pipeline`.
   */
  readonly transactionParameters?: Readonly<Record<string, string | number>> | undefined;
}

export interface LedgerQuery extends pg.QueryConfig {
  /** It changes nothing, so that its transaction may end before its result is known. */
  readonly readOnly?: boolean;
}

/**
 * A connection that does not outlive a query past its `query_timeout`: pg gives up the query and hands the connection,
 * still busy, back to the pool, where the next query would wait behind it. Nor does it outlive a write that the server
 * refused because it only reads: a proxy may lead a new connection to the server that takes writes.
 */
export class LedgerClient extends pg.Client {
  readonly #openedAt = performance.now();
  /** Statements that give a transaction its parameters. */
  readonly #parameters: string | undefined;

  constructor(config: LedgerClientConfig = {}) {
    super(config);
    const { transactionParameters: parameters } = config;
    if (parameters !== undefined)
      this.#parameters = Object.entries(parameters)
        .map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
        .join('; ');
    // A connection that breaks fails its query and also emits an error. The pool listens to idle connections only,
    // and an error event without a listener would end the process.
    this.on('error', () => undefined);
  }

  /** Milliseconds since it began to be opened. */
  get age(): number {
    return performance.now() - this.#openedAt;
  }

  /** Ends a connection to a server that only reads, unless it is new. A pool keeps none that is ending. */
  leave(): void {
    if (this.age >= WORTH_REPLACING) void this.end();
  }

  /** Also while it is being opened. */
  destroy(): void {
    // pg's declaration lacks the connection.
    (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }

  // pg's declaration has seven overloads; only the promise is of interest here.
  override query = ((...args: unknown[]): unknown => {
    const [first, values] = args;
    if (this.#parameters === undefined || this.getTransactionStatus() !== IDLE) return this.#send(args);
    const query = (typeof first === 'string' ? { text: first, values } : first) as LedgerQuery;
    if (BEGINS.test(query.text)) return this.#send([`${query.text}; ${this.#parameters}`]);
    return this.#inTransaction(query);
  }) as pg.Client['query'];

  /**
   * A pooler may hand on a statement long after it was sent, and PostgreSQL goes on with it when nobody waits any more.
   * A write is therefore committed in a step of its own, which never follows a failure that the caller knows of.
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
    throw begun === failed && isTimeout(failed.reason) ? new Error(UNSERVED) : failed.reason;
  }

  #send(args: unknown[]): Promise<unknown> {
    const result = (super.query as (...args: unknown[]) => Promise<unknown>).apply(this, args);
    if (result instanceof Promise) result.catch((error: unknown) => this.#dropIfUseless(error));
    return result;
  }

  #dropIfUseless(error: unknown): void {
    if (error instanceof pg.DatabaseError && error.code === READ_ONLY) {
      this.leave();
    } else if (isTimeout(error)) {
      this.destroy();
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === QUERY_TIMED_OUT;
}
