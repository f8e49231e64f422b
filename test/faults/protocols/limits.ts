/** Defaults of the service's settings, in milliseconds. */
export const STATEMENT_TIMEOUT = 5000;
export const RESPONSE_TIMEOUT = 15_000;
/** The pool, and the connections for the look-up of callers and for the health check. */
export const MOST_CONNECTIONS = 10 + 1 + 1;
