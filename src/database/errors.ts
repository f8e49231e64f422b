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
  'The server does not support SSL connections': 'tls-not-offered',
};

/** Messages of which a part says it; the first is of PgBouncer (src/client.c), the next of Citus, the others of PostgreSQL. */
const MESSAGES: readonly (readonly [reason: string, message: RegExp])[] = [
  ['startup-parameters', /unsupported startup parameter/],
  // XX000 when a worker was restarted while its connections rested.
  ['node-unavailable', /connection marked as essential|postmaster was shut down/],
  ['tls-required', /pg_hba\.conf .*(no encryption|SSL off)$/],
  ['client-certificate-required', /^connection requires a valid client certificate/],
];

/** SQLSTATEs and codes of Node; the first that fits counts. */
const CODES: readonly (readonly [reason: string, code: RegExp])[] = [
  ['prepared-statements', /^(26000|42P05)$/], // the session is another's
  ['connection-refused', /^(ECONNREFUSED|ENOENT)$/],
  ['host-not-found', /^(ENOTFOUND|EAI_AGAIN)$/],
  ['timeout', /^(ETIMEDOUT|57014|55P03)$/],
  ['connection-lost', /^(ECONN|EPIPE|EHOST|ENET|08|57P0[1245]|25P0[34])/],
  ['read-only', new RegExp(`^${READ_ONLY}$`)],
  ['starting-or-stopping', /^57P03$/],
  ['out-of-resources', /^53/],
  ['access-refused', /^28/],
  ['no-such-database', /^3D000$/],
  ['certificate-for-other-host', /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ['certificate-not-trusted', /^(CERT_|DEPTH_ZERO_SELF_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF))/],
  ['tls-failed', /^(ERR_SSL_|ERR_OSSL_|EPROTO$)/],
];

/**
 * Why the database cannot serve just now, or undefined when that is not the matter. A word of our own, fit for
 * a health answer: never the driver's text.
 */
export function unavailability(error: unknown): string | undefined {
  const root = rootOf(error);
  const { code, message } = root;
  const said = MESSAGES.find(([, pattern]) => pattern.test(message));
  if (said !== undefined) return said[0];
  if (isAnswerOfClass08(root)) return 'node-unavailable';
  if (CODELESS[message] !== undefined) return CODELESS[message];
  return code === undefined ? undefined : CODES.find(([, pattern]) => pattern.test(code))?.[0];
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

const OUTAGE = /^(connection-|host-not-found|read-only|starting-or-stopping)/;

/** The server is away for every statement; a timeout may be of one statement, or of a full pool. */
export function isOutage(error: unknown): boolean {
  return OUTAGE.test(unavailability(error) ?? '');
}

/** Deadlock or serialization failure: PostgreSQL undid the statement, so it may be repeated. */
export function isTransient(error: unknown): boolean {
  const { code } = rootOf(error);
  return code === '40001' || code === '40P01';
}

/** Citus cannot run the statement where the tables are distributed. */
export function isUnsupported(error: unknown): boolean {
  return rootOf(error).code === '0A000';
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
