/** What the service promises by its default settings, in milliseconds. */
export const ACQUIRE_TIMEOUT = 2000;
export const STATEMENT_TIMEOUT = 5000;
export const REQUEST_TIMEOUT = 15_000;
export const RESPONSE_TIMEOUT = 15_000;
export const POOL_SIZE = 10;
/** Connections of one account: a third of the pool. */
export const SHARE = 3;
/** Beside the pool: callers are looked up on a connection of their own. */
export const AUTHENTICATION_CONNECTIONS = 1;
