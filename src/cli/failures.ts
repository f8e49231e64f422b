import { remedyFor, unavailability } from '../database/errors.js';
import { ProblemError } from '../http/problem/problem.js';

/** It did not work, or a check found faults. */
export const FAILED = 1;
/** It was called wrongly. */
export const USAGE = 2;
/** It was stopped before its end, by Ctrl-C for example: 128 and the number of SIGINT, as shells have it. */
export const INTERRUPTED = 130;

/** It did not work, for a reason of one line. */
export class Failure extends Error {
  readonly exitCode: number = FAILED;
}

/** It was stopped before its end. */
export class Interrupted extends Failure {
  override readonly exitCode = INTERRUPTED;
}

/** An error in a line. Only an unexpected one shows its origin. */
export function describeFailure(error: unknown): string {
  if (error instanceof ProblemError) return describeProblem(error);
  const reason = unavailability(error);
  if (reason !== undefined) return `The database cannot be used (${reason}): ${remedyFor(reason)}.`;
  if (!(error instanceof Error)) return String(error);
  return isUnexpected(error) ? (error.stack ?? error.message) : error.message;
}

function describeProblem({ detail, options: { errors, cause } }: ProblemError): string {
  if (errors !== undefined)
    return Object.entries(errors)
      .map(([field, message]) => `${field} ${message}`)
      .join('; ');
  const reason = unavailability(cause);
  return reason === undefined ? detail : `${detail} (${reason}): ${remedyFor(reason)}.`;
}

/** Errors for people have a class of their own, or come from the system: a file that cannot be written, for example. */
function isUnexpected(error: Error): boolean {
  return (
    [Error, TypeError, RangeError, ReferenceError].some((type) => error.constructor === type) &&
    !('syscall' in error)
  );
}
