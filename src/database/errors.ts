import { types } from 'node:util';
import pg from 'pg';

/** What `database/` throws of itself. The problem filter's table has the problem of each name; a message is its detail. */
abstract class LedgerError extends Error {
  override readonly name = this.constructor.name;
}
/** The row is not in a version that was expected, or another write at the same time has won. */
export class StaleVersion extends LedgerError {}
/** The row that was asked for, or that a row refers to. */
export class MissingRow extends LedgerError {
  constructor(noun: string) {
    super(`There is no such ${noun}.`);
  }
}
/** The caller's account was deleted after the request had come in. */
export class MissingAccount extends LedgerError {}
export class KeyReused extends LedgerError {}
/** Changes that a cursor has missed may be forgotten, or are of another copy of the tables. */
export class CursorExpired extends LedgerError {}
export class UnstorableValue extends LedgerError {}
/** The account uses all of its share. */
export class ShareTaken extends LedgerError {}
/** The database is away, or others use what there is. */
export class Unavailable extends LedgerError {}

/** SQLSTATE of a write on a standby, or where transactions are read-only by default. */
export const READ_ONLY = '25006';

/** What a violated constraint means depends on the statement: each says it for itself. */
export interface ConstraintErrors {
  /** A row that is referred to is missing, or the row to delete is referred to. */
  readonly foreignKey?: () => Error;
  /** PostgreSQL refuses a value that the request's own check has let pass. */
  readonly invalidValue?: () => Error;
  /** A unique key that the statement brings is taken. */
  readonly uniqueKey?: () => Error;
}

/**
 * Why the database cannot serve: what an error says as `code severity message`. The first that matches counts. An error
 * of pg itself has no code, and says that it stopped waiting, or what became of its client and connection.
 */
const OUTAGES = {
  'startup-parameters': /unsupported startup parameter/, // PgBouncer says it with the code of a broken connection
  // Citus. With severity ERROR the connection itself is well: the server could not reach another one.
  'node-unavailable': /^08\w+ ERROR /,
  'server-too-old': /PostgreSQL is too old$/,
  'wrong-encoding': /encoding is not UTF8$/,
  'tls-required': /pg_hba\.conf .*(no encryption|SSL off)$/,
  'client-certificate-required': /connection requires a valid client certificate/,
  timeout: /^(ETIMEDOUT|57014|55P03) |^ {2}.*timeout/,
  'prepared-statements': /^(26000|42P05) /, // the session is another's
  'connection-refused': /^(ECONNREFUSED|ENOENT) /,
  'host-not-found': /^(ENOTFOUND|EAI_AGAIN) /,
  'connection-lost': /^(ECONN|EPIPE|EHOST|ENET|08|57P0[1245]|25P0[34])|^ {2}(Connection terminated|Client )/,
  'read-only': new RegExp(`^${READ_ONLY} `),
  'starting-or-stopping': /^57P03 /,
  'out-of-resources': /^53/,
  'access-refused': /^28/,
  'no-such-database': /^3D000 /,
  'tls-not-offered': /The server does not support SSL connections/,
  'certificate-for-other-host': /^ERR_TLS_CERT_ALTNAME_INVALID /,
  'certificate-not-trusted': /^(CERT_|DEPTH_ZERO_SELF_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF))/,
  'tls-failed': /^(ERR_SSL_|ERR_OSSL_|EPROTO )/,
};

const SILENCE = 'nothing answers in time: look at the network, or correct the address (DB_HOST, or DB_URL)';
const REMEDIES: Readonly<Partial<Record<string, string>>> = {
  'startup-parameters': 'behind a pooler set DB_POOLER=session or DB_POOLER=transaction, as its pool_mode is',
  'node-unavailable': 'see the log of PostgreSQL: one of its nodes is away',
  'server-too-old': 'take PostgreSQL 15 or newer',
  'wrong-encoding': "load it into one made with ENCODING 'UTF8' TEMPLATE template0",
  'tls-required':
    'the server wants TLS: set DB_SSLMODE=verify-full and DB_SSL_CA, or DB_URL=…?sslmode=verify-full&sslrootcert=…; ' +
    'if it does not, pg_hba.conf there has no line that admits this host',
  'client-certificate-required': 'name one: DB_URL=…?sslmode=verify-full&sslrootcert=…&sslcert=…&sslkey=…',
  timeout: SILENCE,
  'prepared-statements': 'behind a pooler in transaction mode set DB_POOLER=transaction',
  'connection-refused':
    'start PostgreSQL, or correct where it is looked for (DB_HOST and DB_PORT, or DB_URL)',
  'host-not-found': 'correct the name of its host (DB_HOST, or DB_URL)',
  'read-only': 'let DB_HOST (or DB_URL) name the primary, or promote the standby: SELECT pg_promote()',
  'starting-or-stopping': 'try again in a moment',
  'out-of-resources': 'raise its max_connections, or lower DB_POOL_SIZE',
  'access-refused': 'correct the name and the password (DB_USERNAME and DB_PASSWORD)',
  'no-such-database': 'create it: CREATE DATABASE … OWNER …',
  'tls-not-offered':
    'switch TLS on at the server (ssl = on in postgresql.conf), or on a trusted network set DB_SSLMODE=disable',
  'certificate-for-other-host':
    'call the server by a name that its certificate holds (DB_HOST, or DB_URL), or set DB_SSLMODE=verify-ca',
  'certificate-not-trusted':
    "let DB_SSL_CA name the certificate of the authority that signed the server's, or that certificate if it signed itself",
  'tls-failed':
    'see the log of PostgreSQL: it refused the TLS handshake, often because of the client certificate',
};

/** Why the database cannot serve, in a word for a health response; undefined for any other error. Never the driver's text. */
export function unavailability(error: unknown): string | undefined {
  const { code = '', severity = '', message } = rootOf(error);
  const said = `${code} ${severity} ${message}`;
  return Object.entries(OUTAGES).find(([, pattern]) => pattern.test(said))?.[0];
}

export const remedyFor = (reason: string): string => REMEDIES[reason] ?? 'see the log of PostgreSQL';

/** The connection broke under the statement: a read may be repeated on another one. */
export function isConnectionLost(error: unknown): boolean {
  return unavailability(error) === 'connection-lost' && !(causeOf(error) instanceof AggregateError); // then none was opened
}

/** Deadlock or serialization failure: PostgreSQL undid the statement, so it may be repeated. */
export function isTransient(error: unknown): boolean {
  const { code } = rootOf(error);
  return code === '40001' || code === '40P01';
}

/** PostgreSQL serves, but has refused the statement: nothing of it is stored. */
export function isRefused(error: unknown): boolean {
  return error instanceof LedgerError ? !(error instanceof Unavailable) : error instanceof pg.DatabaseError;
}

/** What a driver's error means, which becomes its cause; one that is a fault of the service stays as it is. */
export function meaningOf(error: unknown, on: ConstraintErrors): unknown {
  const { code = '', where = '' } = rootOf(error);
  // PostgreSQL 18 raises 23001 where older ones raise 23503 for a restricted delete.
  if ((code === '23503' || code === '23001') && on.foreignKey) return on.foreignKey();
  if (code === '23505' && on.uniqueKey) return on.uniqueKey();
  if (code.startsWith('22') && on.invalidValue) return on.invalidValue();
  if (isTransient(error)) return new StaleVersion('', { cause: error });
  // A request's values are parameters, and `where` names the one that PostgreSQL cannot read.
  if (code.startsWith('22') && /\$\d/.test(where))
    return new UnstorableValue('A value is outside the range that can be stored.');
  return unavailability(error) === undefined ? error : unavailable(error);
}

export function unavailable(cause: unknown): Unavailable {
  return new Unavailable('The database is currently unavailable.', { cause });
}

const causeOf = (error: unknown): unknown => (error instanceof LedgerError ? error.cause : error);

/** TypeORM wraps the driver's error; Node wraps the attempts at several addresses. */
function rootOf(thrown: unknown): { code?: string; severity?: string; where?: string; message: string } {
  const error = causeOf(thrown);
  if (!types.isNativeError(error)) return { message: '' };
  const { driverError, errors } = error as { driverError?: unknown; errors?: unknown[] };
  if (types.isNativeError(driverError)) return rootOf(driverError);
  if (Array.isArray(errors) && types.isNativeError(errors[0])) return rootOf(errors[0]);
  return error;
}
