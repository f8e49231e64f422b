import pg from 'pg';

export const QUERY_TIMED_OUT = 'Query read timeout';

/**
 * A connection that does not outlive a query nobody waits for any more. When `query_timeout` passes, pg gives
 * up the query and hands the connection, still busy, back to the pool; the next query would wait behind it.
 */
export class LedgerClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // A connection that breaks fails its query and also emits an error. The pool listens to idle connections only,
    // and an error event without a listener would end the process.
    this.on('error', () => undefined);
  }

  // pg's declaration has seven overloads; only the promise is of interest here.
  override query = ((...args: unknown[]): unknown => {
    const result = (super.query as (...args: unknown[]) => unknown).apply(this, args);
    if (result instanceof Promise) result.catch((error: unknown) => this.#dropIfTimedOut(error));
    return result;
  }) as pg.Client['query'];

  #dropIfTimedOut(error: unknown): void {
    if (error instanceof Error && error.message === QUERY_TIMED_OUT) {
      (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    }
  }
}
