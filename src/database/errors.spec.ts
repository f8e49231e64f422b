import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { ON_CITUS, ONE_SERVER } from './citus.js';
import {
  type ConstraintErrors,
  isConnectionLost,
  isTransient,
  meaningOf,
  MissingRow,
  Unavailable,
  unavailability,
} from './errors.js';

/** An error as pg raises it for a response of the server. */
function sqlError(code: string, message = 'relation "users" is broken', severity?: string): Error {
  return Object.assign(new pg.DatabaseError(message, 0, 'error'), { code, severity });
}
const sqlErrors = (...codes: string[]): Error[] => codes.map((code) => sqlError(code));
/** The server could not read the value of a parameter. */
const ofParameter = (error: Error): Error =>
  Object.assign(error, { where: "Parameter $1 = '...' eines unbenannten Portals" });
const nodeErrors = (...codes: string[]): Error[] =>
  codes.map((code) => Object.assign(new Error(`connect ${code} 10.0.0.1:5432`), { code }));
const errors = (...messages: string[]): Error[] => messages.map((message) => new Error(message));

/** The same error as TypeORM hands it on. */
const wrapped = (error: Error): Error => new QueryFailedError('SELECT 1', [], error);

const HOST = 'for host "::1", user "u", database "d"';

it.each<[reason: string, errors: Error[]]>([
  ['connection-lost', sqlErrors('08000', '08P01', '57P01', '57P02', '57P04', '57P05', '25P03', '25P04')],
  ['connection-lost', nodeErrors('ECONNRESET', 'ECONNABORTED', 'EPIPE', 'EHOSTUNREACH', 'ENETDOWN')],
  ['connection-lost', errors('Connection terminated unexpectedly', 'Connection terminated')],
  ['connection-lost', errors('Client has encountered a connection error and is not queryable')],
  ['connection-lost', ['FATAL', 'PANIC', 'ВАЖНО'].map((severity) => sqlError('08006', 'broken', severity))],
  ['connection-refused', nodeErrors('ECONNREFUSED', 'ENOENT')],
  ['host-not-found', nodeErrors('ENOTFOUND', 'EAI_AGAIN')],
  ['timeout', errors('timeout exceeded when trying to connect')],
  ['timeout', errors('Connection terminated due to connection timeout')],
  ['timeout', [...sqlErrors('57014', '55P03'), ...nodeErrors('ETIMEDOUT')]],
  ['timeout', errors('Query read timeout', 'timeout expired')],
  ['starting-or-stopping', sqlErrors('57P03')],
  ['read-only', sqlErrors('25006')],
  ['out-of-resources', sqlErrors('53100', '53300')],
  ['access-refused', [sqlError('28P01'), sqlError('28000', `no pg_hba.conf entry ${HOST}, SSL encryption`)]],
  ['no-such-database', sqlErrors('3D000')],
  ['tls-required', [sqlError('28000', `no pg_hba.conf entry ${HOST}, no encryption`)]],
  ['tls-required', [sqlError('28000', `pg_hba.conf rejects connection ${HOST}, SSL off`)]],
  ['node-unavailable', [sqlError('08006', 'a response of a connection that is well', 'ERROR')]],
  ['startup-parameters', [sqlError('08P01', 'unsupported startup parameter: statement_timeout', 'FATAL')]],
  ['client-certificate-required', [sqlError('28000', 'connection requires a valid client certificate')]],
  ['tls-not-offered', errors('The server does not support SSL connections')],
  ['tls-failed', nodeErrors('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'EPROTO')],
  ['certificate-for-other-host', nodeErrors('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['certificate-not-trusted', nodeErrors('DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN')],
  ['certificate-not-trusted', nodeErrors('CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
  ['certificate-not-trusted', nodeErrors('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')],
  ['prepared-statements', sqlErrors('26000', '42P05')],
])('the database is unavailable, %s, after %p', (reason, list) => {
  for (const error of list) {
    for (const one of [error, wrapped(error)]) {
      expect([unavailability(one), meaningOf(one, {})]).toEqual([reason, expect.any(Unavailable)]);
      expect([isConnectionLost(one), isTransient(one)]).toEqual([reason === 'connection-lost', false]);
    }
    const several = new AggregateError([error]); // of several addresses: no connection was opened
    expect([unavailability(several), isConnectionLost(several)]).toEqual([reason, false]);
    const { cause, message } = meaningOf(error, {}) as Unavailable;
    expect(cause).toBe(error);
    expect(message).not.toContain(error.message);
  }
});

it.each([
  ...sqlErrors(
    '23514',
    '42P01',
    '42501',
    '0A000',
    'XX000',
    'P0001',
    '23503',
    '23001',
    '23505',
    '22001',
    '22003',
    '2200H',
  ),
  ...nodeErrors('EACCES', 'ERR_INVALID_ARG_TYPE'),
  ...[new Error('Something else'), 'Connection terminated unexpectedly', { code: '57P01' }, undefined, null],
])('%p says nothing about the database, and stays as it is', (error) => {
  const found = [unavailability(error), isTransient(error), isConnectionLost(error)];
  expect(found).toEqual([undefined, false, false]);
  expect(meaningOf(error, {})).toBe(error);
});

const MISSING: ConstraintErrors = {
  foreignKey: () => new MissingRow('property'),
  uniqueKey: () => new MissingRow('key'),
  invalidValue: () => new MissingRow('value'),
};

it.each<[name: string, ConstraintErrors, errors: Error[]]>([
  ['MissingRow', MISSING, sqlErrors('23503', '23001', '23505', '22P02', '22003')],
  ['Unavailable', MISSING, sqlErrors('57014')],
  ['StaleVersion', {}, sqlErrors('40001', '40P01')],
  ['UnstorableValue', {}, sqlErrors('22003', '22008', '22021', '22P02').map(ofParameter)],
])('the meaning is %s where the statement says %p, after %p', (name, constraintErrors, list) => {
  for (const error of list.flatMap((one) => [one, wrapped(one)])) {
    const meaning = meaningOf(error, constraintErrors) as Error;
    expect([error, meaning.name]).toEqual([error, name]);
    expect(meaning.message).not.toContain('relation');
  }
});

it.each([
  ['23505', 'duplicate key value violates unique constraint "k_102089"'], // while it copies a row
  ['08006', 'SSL SYSCALL error: EOF detected'],
])('an internal error has, on Citus alone, the code %s of its meaning, %s', (code, message) => {
  const error = sqlError('XX000', message) as pg.DatabaseError;
  expect([ON_CITUS.codeOf(error), ONE_SERVER.codeOf(error)]).toEqual([code, 'XX000']);
  expect(ON_CITUS.codeOf(sqlError('57014') as pg.DatabaseError)).toBe('57014');
});
