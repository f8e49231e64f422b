import pg from 'pg';

export const QUERY_TIMED_OUT = 'Query read timeout';
/** SQLSTATE of a write on a standby, or where transactions are read-only by default. */
export const READ_ONLY = '25006';
/** Milliseconds. Where every server only reads, not each refused write shall open another connection. */
const WORTH_REPLACING = 1000;

/**
 * A connection that does not outlive a query nobody waits for any more. When `query_timeout` passes, pg gives
 * up the query and hands the connection, still busy, back to the pool; the next query would wait behind it. Nor does one
 * survive that leads to a server which does not take writes: a new one may find the server that does.
 */
export class LedgerClient extends pg.Client {
  readonly #openedAt = performance.now();

  constructor(config?: pg.ClientConfig) {
    super(config);
    // A connection that breaks fails its query and also emits an error. The pool listens to idle connections only,
    // and an error event without a listener would end the process.
    this.on('error', () => undefined);
  }

  // pg's declaration has seven overloads; only the promise is of interest here.
  override query = ((...args: unknown[]): unknown => {
    const result = (super.query as (...args: unknown[]) => unknown).apply(this, args);
    if (result instanceof Promise) result.catch((error: unknown) => this.#dropIfUseless(error));
    return result;
  }) as pg.Client['query'];

  #dropIfUseless(error: unknown): void {
    if (error instanceof pg.DatabaseError && error.code === READ_ONLY) {
      if (performance.now() - this.#openedAt < WORTH_REPLACING) return;
      void this.end(); // the pool, to which it is given back in a moment, keeps none that is ending
    } else if (error instanceof Error && error.message === QUERY_TIMED_OUT) {
      (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
  }
}
