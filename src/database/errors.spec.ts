import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { concurrentModification, notFound, ProblemError, resourceInUse } from '../http/problem/problem.js';
import {
  isConnectionLost,
  isStatementLost,
  isTransient,
  toDatabaseProblem,
  unavailability,
} from './errors.js';

/** An error as pg raises it for an answer of the server. */
function sqlError(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('relation "users" is broken', 0, 'error'), { code });
}

const nodeError = (code: string): Error =>
  Object.assign(new Error(`connect ${code} 10.0.0.1:5432`), { code });

/** The same error as TypeORM hands it on. */
const wrapped = (error: Error): Error => new QueryFailedError('SELECT 1', [], error);

/** The slug of the problem that becomes of an error, or what was returned in place of one. */
function slugOf(error: unknown, foreignKey?: () => ProblemError): unknown {
  const problem = toDatabaseProblem(error, foreignKey === undefined ? {} : { foreignKey });
  return problem instanceof ProblemError ? problem.slug : problem;
}

const UNAVAILABLE: [code: string, reason: string][] = [
  ['08000', 'connection-lost'],
  ['08001', 'connection-lost'],
  ['08003', 'connection-lost'],
  ['08004', 'connection-lost'],
  ['08006', 'connection-lost'],
  ['08P01', 'connection-lost'],
  ['57P01', 'connection-lost'],
  ['57P02', 'connection-lost'],
  ['57P03', 'starting-or-stopping'],
  ['57P04', 'connection-lost'],
  ['57P05', 'connection-lost'],
  ['25P03', 'connection-lost'],
  ['25P04', 'connection-lost'],
  ['25006', 'read-only'],
  ['57014', 'timeout'],
  ['55P03', 'timeout'],
  ['53000', 'out-of-resources'],
  ['53100', 'out-of-resources'],
  ['53200', 'out-of-resources'],
  ['53300', 'out-of-resources'],
  ['28000', 'access-refused'],
  ['3D000', 'no-such-database'],
  ['28P01', 'access-refused'],
];

const UNREACHABLE: [code: string, reason: string][] = [
  ['ECONNREFUSED', 'connection-refused'],
  ['ENOENT', 'connection-refused'],
  ['ECONNRESET', 'connection-lost'],
  ['ECONNABORTED', 'connection-lost'],
  ['EPIPE', 'connection-lost'],
  ['EHOSTUNREACH', 'connection-lost'],
  ['EHOSTDOWN', 'connection-lost'],
  ['ENETUNREACH', 'connection-lost'],
  ['ENETDOWN', 'connection-lost'],
  ['ETIMEDOUT', 'timeout'],
  ['ENOTFOUND', 'host-not-found'],
  ['EAI_AGAIN', 'host-not-found'],
];

const CODELESS: [message: string, reason: string][] = [
  ['timeout exceeded when trying to connect', 'pool-timeout'],
  ['Connection terminated due to connection timeout', 'pool-timeout'],
  ['Connection terminated unexpectedly', 'connection-lost'],
  ['Connection terminated', 'connection-lost'],
  ['Client has encountered a connection error and is not queryable', 'connection-lost'],
  ['Query read timeout', 'timeout'],
];

/** What says nothing about whether the database is there. */
const OTHERS: unknown[] = [
  sqlError('23514'),
  sqlError('23502'),
  sqlError('42P01'),
  sqlError('42601'),
  sqlError('42501'),
  sqlError('0A000'),
  sqlError('XX000'),
  sqlError('P0001'),
  nodeError('EACCES'),
  nodeError('ERR_INVALID_ARG_TYPE'),
  new Error('Something else'),
  new TypeError('x is not a function'),
  'Connection terminated unexpectedly',
  { code: '57P01' },
  undefined,
  null,
  42,
];

describe('an error that says that the database cannot serve', () => {
  it.each([...UNAVAILABLE])('%s is told as %s', (code, reason) => {
    for (const error of [sqlError(code), wrapped(sqlError(code))]) {
      expect(unavailability(error)).toBe(reason);
      expect(slugOf(error)).toBe('service-unavailable');
    }
  });

  it.each(UNREACHABLE)('%s is told as %s', (code, reason) => {
    for (const error of [nodeError(code), wrapped(nodeError(code)), new AggregateError([nodeError(code)])]) {
      expect(unavailability(error)).toBe(reason);
      expect(slugOf(error)).toBe('service-unavailable');
    }
  });

  it.each(CODELESS)('"%s", which has no code, is told as %s', (message, reason) => {
    for (const error of [new Error(message), wrapped(new Error(message))]) {
      expect(unavailability(error)).toBe(reason);
      expect(slugOf(error)).toBe('service-unavailable');
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
      expect(toDatabaseProblem(error, {})).toMatchObject({ status: 409 });
  });
});

describe('a statement that PostgreSQL has undone', () => {
  it.each(['40001', '40P01'])('for %s may be repeated, and is a conflict in the end', (code) => {
    for (const error of [sqlError(code), wrapped(sqlError(code))]) {
      expect(isTransient(error)).toBe(true);
      expect(slugOf(error)).toBe(concurrentModification().slug);
    }
  });

  it.each(['40000', '40002', '40003', '55P03', '57014', '57P01', '23505'])('for %s may not', (code) => {
    expect(isTransient(sqlError(code))).toBe(false);
  });
});

describe('a value that PostgreSQL cannot store', () => {
  it.each(['22000', '22001', '22003', '22007', '22008', '22021', '22P02', '22P03', '22P05'])(
    'is a malformed request: %s',
    (code) => {
      expect(slugOf(sqlError(code))).toBe('malformed-request');
      expect(slugOf(wrapped(sqlError(code)))).toBe('malformed-request');
      expect((toDatabaseProblem(sqlError(code), {}) as ProblemError).detail).not.toContain('relation');
    },
  );
});

describe('a connection that broke', () => {
  it.each([
    ...UNAVAILABLE.filter(([, reason]) => reason === 'connection-lost').map(([code]) => sqlError(code)),
    nodeError('ECONNRESET'),
    nodeError('EPIPE'),
    new Error('Connection terminated unexpectedly'),
    new Error('Client has encountered a connection error and is not queryable'),
  ])('%p lets a read be repeated', (error) => {
    expect(isConnectionLost(error)).toBe(true);
    expect(isConnectionLost(wrapped(error))).toBe(true);
  });

  it.each([
    sqlError('57014'),
    sqlError('55P03'),
    sqlError('53300'),
    sqlError('57P03'),
    sqlError('25006'),
    sqlError('28P01'),
    nodeError('ECONNREFUSED'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Query read timeout'),
  ])('is not the matter with %p', (error) => {
    expect(isConnectionLost(error)).toBe(false);
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
    const error = Object.assign(
      new pg.DatabaseError('unsupported startup parameter: statement_timeout', 0, 'error'),
      {
        code: '08P01',
        severity: 'FATAL',
      },
    );
    expect(unavailability(error)).toBe('startup-parameters');
    expect([isConnectionLost(error), slugOf(error)]).toEqual([false, 'service-unavailable']);
  });
});

describe('a prepared statement that is not there, or already is', () => {
  it.each(['26000', '42P05'])('is no fault of the request: %s', (code) => {
    for (const error of [sqlError(code), wrapped(sqlError(code))]) {
      expect(isStatementLost(error)).toBe(true);
      expect(slugOf(error)).toBe('service-unavailable');
    }
  });
});
