import { unavailability } from '../database/errors.js';

const REMEDIES: Record<string, string> = {
  'no-such-database': 'create it: CREATE DATABASE … OWNER …',
  'connection-refused':
    'start PostgreSQL, or correct where it is looked for (DB_HOST and DB_PORT, or DB_URL)',
  'host-not-found': 'correct the name of its host (DB_HOST, or DB_URL)',
  'access-refused': 'correct the name and the password (DB_USERNAME and DB_PASSWORD)',
  'pool-timeout': 'nothing answers in time: look at the network, or correct the address (DB_HOST, or DB_URL)',
  timeout: 'nothing answers in time: look at the network, or correct the address (DB_HOST, or DB_URL)',
  'startup-parameters': 'behind a pooler set DB_POOLER=session or DB_POOLER=transaction, as its pool_mode is',
  'prepared-statements': 'behind a pooler in transaction mode set DB_POOLER=transaction',
  'node-unavailable': 'look into the log of PostgreSQL: one of its nodes is away',
  'connection-lost': 'look into the log of PostgreSQL',
  'read-only': 'let DB_HOST (or DB_URL) name the primary, or promote the standby: SELECT pg_promote()',
  'starting-or-stopping': 'try again in a moment',
  'out-of-resources': 'raise its max_connections, or lower DB_POOL_SIZE',
};

export interface DatabaseTrouble {
  readonly reason: string;
  readonly remedy: string;
}

/** What is wrong with the database and how to mend it, or undefined when the error is not about that. */
export function databaseTrouble(error: unknown): DatabaseTrouble | undefined {
  const reason = unavailability(error);
  if (reason === undefined) return undefined;
  return { reason, remedy: REMEDIES[reason] ?? 'look into its log' };
}

/** Whether PostgreSQL itself, or the driver, raised the error. */
export function isDatabaseError(error: unknown): error is Error {
  return codeOf(error) !== undefined;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, driverError } = error as { code?: string; driverError?: { code?: string } };
  return code ?? driverError?.code;
}
