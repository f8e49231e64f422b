import { types } from 'node:util';
import pg from 'pg';
import {
  concurrentModification,
  malformedRequest,
  type ProblemError,
  serviceUnavailable,
} from '../http/problem/problem.js';

export const QUERY_TIMED_OUT = 'Query read timeout';
/** Of a transaction that did not even begin in time: PostgreSQL is stopped, or a pooler had no connection to spare. */
export const UNSERVED =
  'No connection of PostgreSQL was free in time: is the pool of the pooler smaller than DB_POOL_SIZE of all instances?';
/** SQLSTATE of a write on a standby, or where transactions are read-only by default. */
export const READ_ONLY = '25006';

/** The problem that a violated constraint is for the client depends on the statement: each says it for itself. */
export interface ConstraintErrors {
  /** A row that is referred to is missing, or the row to delete is referred to. */
  readonly foreignKey?: () => ProblemError;
  /** PostgreSQL takes a value for none of its type, although the request's own check has passed it. */
  readonly invalidValue?: () => ProblemError;
  /** A unique key that the statement brings is taken. */
  readonly uniqueKey?: () => Error;
}

/** pg reports these without a code. */
const CODELESS: Record<string, string> = {
  'timeout exceeded when trying to connect': 'pool-timeout',
  'Connection terminated unexpectedly': 'connection-lost',
  'Connection terminated': 'connection-lost',
  'Connection terminated due to connection timeout': 'pool-timeout',
  'timeout expired': 'timeout',
  'Client has encountered a connection error and is not queryable': 'connection-lost',
  [QUERY_TIMED_OUT]: 'timeout',
  [UNSERVED]: 'timeout',
};

/** Of PgBouncer (src/client.c), with which PostgreSQL does not share it. */
const REFUSED_PARAMETER = 'unsupported startup parameter';

/**
 * Why the database cannot serve just now, or undefined when that is not the matter. A word of our own, fit for
 * a health answer: never the driver's text.
 */
export function unavailability(error: unknown): string | undefined {
  const root = rootOf(error);
  const { code, message } = root;
  if (message.includes(REFUSED_PARAMETER)) return 'startup-parameters';
  if (code === '26000' || code === '42P05') return 'prepared-statements'; // the session is another's
  if (isAnswerOfClass08(root)) return 'node-unavailable';
  if (CODELESS[message] !== undefined) return CODELESS[message];
  if (code === undefined) return undefined;
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'connection-refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'host-not-found';
  if (code === 'ETIMEDOUT' || code === '57014' || code === '55P03') return 'timeout';
  if (/^(ECONN|EPIPE|EHOST|ENET|08)/.test(code) || code === '57P01' || code === '57P02')
    return 'connection-lost';
  if (code === READ_ONLY) return 'read-only';
  if (code === '57P03') return 'starting-or-stopping';
  if (code.startsWith('53')) return 'out-of-resources';
  if (code.startsWith('28')) return 'access-refused';
  if (code === '3D000') return 'no-such-database';
  if (/^(57P0[45]|25P0[34])$/.test(code)) return 'connection-lost';
  return undefined;
}

/**
 * With severity FATAL the connection is at its end. With ERROR it is well, and has told that the server could not reach
 * another one that the statement needs, as the coordinator of a cluster does.
 */
function isAnswerOfClass08(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.severity === 'ERROR' && error.code?.startsWith('08') === true
  );
}

/** The connection broke under the statement: a read may simply be repeated on another one. */
export function isConnectionLost(error: unknown): boolean {
  return unavailability(error) === 'connection-lost' && !(error instanceof AggregateError); // then none was opened
}

/** Deadlock or serialization failure: PostgreSQL undid the statement, so it may be repeated. */
export function isTransient(error: unknown): boolean {
  const { code } = rootOf(error);
  return code === '40001' || code === '40P01';
}

/** The problem that an error of the database is for the client; other errors are returned as they are. */
export function toDatabaseProblem(error: unknown, constraintErrors: ConstraintErrors): unknown {
  const code = codeOf(error);
  // PostgreSQL 18 raises 23001 where older ones raise 23503 for a restricted delete.
  if ((code === '23503' || code === '23001') && constraintErrors.foreignKey)
    return constraintErrors.foreignKey();
  if (code === '23505' && constraintErrors.uniqueKey) return constraintErrors.uniqueKey();
  // A unique key that no statement has foreseen is a net below those that have.
  if (isTransient(error) || code === '23505') return concurrentModification();
  if (code?.startsWith('22') === true)
    return constraintErrors.invalidValue?.() ?? malformedRequest('A value is outside of what can be stored.');
  if (unavailability(error) === undefined) return error;
  return serviceUnavailable('The database is not available just now.', error);
}

/** Where a statement copies its rows to a worker of Citus, that tells of a taken key by the message alone. */
function codeOf(error: unknown): string | undefined {
  const { code, message } = rootOf(error);
  return code === 'XX000' && message.startsWith('duplicate key value violates unique constraint')
    ? '23505'
    : code;
}

/** TypeORM wraps the driver's error; Node wraps the attempts at several addresses. */
function rootOf(error: unknown): { code?: string | undefined; message: string } {
  if (!types.isNativeError(error)) return { message: '' };
  const { driverError, errors } = error as { driverError?: unknown; errors?: unknown[] };
  if (types.isNativeError(driverError)) return rootOf(driverError);
  if (Array.isArray(errors) && types.isNativeError(errors[0])) return rootOf(errors[0]);
  return error;
}
