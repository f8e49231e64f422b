import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { concurrentModification, notFound, ProblemError, resourceInUse } from '../http/problem/problem.js';
import { isConnectionLost, isTransient, toDatabaseProblem, unavailability } from './errors.js';

/** An error as pg raises it for an answer of the server. */
function pgError(code: string, message: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, 0, 'error'), { code });
}

const sqlError = (code: string): pg.DatabaseError => pgError(code, 'relation "users" is broken');

const nodeError = (code: string): Error =>
  Object.assign(new Error(`connect ${code} 10.0.0.1:5432`), { code });

/** The same error as TypeORM hands it on. */
const wrapped = (error: Error): Error => new QueryFailedError('SELECT 1', [], error);

/** The slug of the problem that becomes of an error, or what was returned in place of one. */
function slugOf(error: unknown, foreignKey?: () => ProblemError): unknown {
  const problem = toDatabaseProblem(error, foreignKey === undefined ? {} : { foreignKey });
  return problem instanceof ProblemError ? problem.slug : problem;
}

const errors = (messages: string[]): Error[] => messages.map((message) => new Error(message));

const UNAVAILABLE: [reason: string, errors: Error[]][] = [
  [
    'connection-lost',
    [
      ...['08000', '08P01', '57P01', '57P02', '57P04', '57P05', '25P03', '25P04'].map(sqlError),
      ...['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'EHOSTUNREACH', 'ENETDOWN'].map(nodeError),
      ...errors(['Connection terminated unexpectedly', 'Connection terminated']),
      ...errors(['Client has encountered a connection error and is not queryable']),
    ],
  ],
  ['connection-refused', ['ECONNREFUSED', 'ENOENT'].map(nodeError)],
  ['host-not-found', ['ENOTFOUND', 'EAI_AGAIN'].map(nodeError)],
  ['pool-timeout', errors(['timeout exceeded when trying to connect'])],
  ['pool-timeout', errors(['Connection terminated due to connection timeout'])],
  ['timeout', [sqlError('57014'), sqlError('55P03'), nodeError('ETIMEDOUT')]],
  ['timeout', errors(['Query read timeout', 'timeout expired'])],
  ['starting-or-stopping', [sqlError('57P03')]],
  ['read-only', [sqlError('25006')]],
  ['out-of-resources', [sqlError('53100'), sqlError('53300')]],
  ['access-refused', [sqlError('28000'), sqlError('28P01')]],
  ['no-such-database', [sqlError('3D000')]],
  [
    'tls-required',
    [
      pgError('28000', 'no pg_hba.conf entry for host "::1", user "u", database "d", no encryption'),
      pgError('28000', 'pg_hba.conf rejects connection for host "::1", user "u", database "d", SSL off'),
    ],
  ],
  [
    'access-refused',
    [pgError('28000', 'no pg_hba.conf entry for host "::1", user "u", database "d", SSL encryption')],
  ],
  [
    'node-unavailable',
    [
      pgError('XX000', 'failure on connection marked as essential: worker-1:5432'),
      pgError('XX000', 'connection to the remote node u@worker-1:5432 failed: postmaster was shut down'),
    ],
  ],
  ['client-certificate-required', [pgError('28000', 'connection requires a valid client certificate')]],
  ['tls-not-offered', errors(['The server does not support SSL connections'])],
  ['tls-failed', ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'EPROTO'].map(nodeError)],
  ['certificate-for-other-host', [nodeError('ERR_TLS_CERT_ALTNAME_INVALID')]],
  [
    'certificate-not-trusted',
    [
      ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED'],
      ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
    ].map(nodeError),
  ],
  ['prepared-statements', [sqlError('26000'), sqlError('42P05')]],
];

/** What says nothing about whether the database is there. */
const OTHERS: unknown[] = [
  ...['23514', '42P01', '42501', '0A000', 'XX000', 'P0001'].map(sqlError),
  ...['EACCES', 'ERR_INVALID_ARG_TYPE'].map(nodeError),
  new Error('Something else'),
  'Connection terminated unexpectedly',
  { code: '57P01' },
  undefined,
  null,
];

describe('an error that says that the database cannot serve', () => {
  // After a connection that broke a read is repeated; where there were several addresses, none was opened.
  it.each(UNAVAILABLE)('is told as %s: %p', (reason, list) => {
    for (const error of list) {
      for (const one of [error, wrapped(error)]) {
        expect([unavailability(one), slugOf(one)]).toEqual([reason, 'service-unavailable']);
        expect([isConnectionLost(one), isTransient(one)]).toEqual([reason === 'connection-lost', false]);
      }
      const several = new AggregateError([error]);
      expect([unavailability(several), isConnectionLost(several)]).toEqual([reason, false]);
    }
  });

  it('keeps the error as the cause, and says none of it to the client', () => {
    const error = sqlError('57P01');
    const problem = toDatabaseProblem(error, {}) as ProblemError;
    expect(problem.options.cause).toBe(error);
    expect(problem.options.headers).toEqual({ 'retry-after': expect.stringMatching(/^[1-9]\d*$/) as string });
    expect(problem.detail).not.toContain(error.message);
  });
});

describe('any other error', () => {
  it.each(OTHERS)('%p says nothing about that, and is handed on as it is', (error) => {
    expect(unavailability(error)).toBeUndefined();
    expect(toDatabaseProblem(error, {})).toBe(error);
    expect([isTransient(error), isConnectionLost(error)]).toEqual([false, false]);
  });
});

describe('a foreign key that is violated', () => {
  it.each(['23503', '23001'])('%s means what the statement says that it means', (code) => {
    for (const error of [sqlError(code), wrapped(sqlError(code))]) {
      expect(slugOf(error, () => notFound('property'))).toBe('not-found');
      expect(slugOf(error, () => resourceInUse('In use.'))).toBe('resource-in-use');
    }
  });

  it.each(['23503', '23001'])('%s is unexpected where the statement says nothing', (code) => {
    const error = sqlError(code);
    expect(toDatabaseProblem(error, {})).toBe(error);
  });

  it('does not lend its meaning to other violations', () => {
    const error = sqlError('23514');
    expect(toDatabaseProblem(error, { foreignKey: notFound })).toBe(error);
    expect(slugOf(sqlError('57014'), notFound)).toBe('service-unavailable');
  });
});

describe('a unique key that is violated', () => {
  it('is a conflict', () => {
    const ofWorker = Object.assign(
      new pg.DatabaseError('duplicate key value violates unique constraint "k_102089"', 0, 'error'),
      { code: 'XX000' }, // as Citus has it
    );
    for (const error of [sqlError('23505'), wrapped(sqlError('23505')), ofWorker])
      expect([toDatabaseProblem(error, {}), isTransient(error)]).toMatchObject([{ status: 409 }, false]);
  });
});

describe('a statement that PostgreSQL has undone', () => {
  it.each(['40001', '40P01'])('for %s may be repeated, and is a conflict in the end', (code) => {
    for (const error of [sqlError(code), wrapped(sqlError(code))]) {
      expect(isTransient(error)).toBe(true);
      expect(slugOf(error)).toBe(concurrentModification().slug);
    }
  });
});

describe('a value that PostgreSQL cannot store', () => {
  it.each(['22001', '22P02'])('is a malformed request: %s', (code) => {
    for (const error of [sqlError(code), wrapped(sqlError(code))]) {
      expect(slugOf(error)).toBe('malformed-request');
      expect((toDatabaseProblem(error, {}) as ProblemError).detail).not.toContain('relation');
    }
  });
});

describe('an error of class 08', () => {
  const ofSeverity = (severity: string): Error => Object.assign(sqlError('08006'), { severity });

  it('of severity ERROR is an answer of a connection that is well', () => {
    for (const error of [ofSeverity('ERROR'), wrapped(ofSeverity('ERROR'))]) {
      expect(unavailability(error)).toBe('node-unavailable');
      expect([isConnectionLost(error), isTransient(error)]).toEqual([false, false]);
      expect(slugOf(error)).toBe('service-unavailable');
    }
  });

  it.each(['FATAL', 'PANIC', 'ВАЖНО'])('of severity %s ends the connection', (severity) => {
    expect(isConnectionLost(ofSeverity(severity))).toBe(true);
  });

  it('that refuses a startup parameter is no connection that was lost', () => {
    const refusal = new pg.DatabaseError('unsupported startup parameter: statement_timeout', 0, 'error');
    const error = Object.assign(refusal, { code: '08P01', severity: 'FATAL' });
    expect(unavailability(error)).toBe('startup-parameters');
    expect([isConnectionLost(error), slugOf(error)]).toEqual([false, 'service-unavailable']);
  });
});
