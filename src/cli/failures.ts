import { remedyFor, unavailability } from '../database/errors.js';
import { ProblemError } from '../common/problems/problem.js';

/** Exit codes. */
export const FAILED = 1; // also of a check that found faults
export const USAGE = 2;
export const INTERRUPTED = 130; // by Ctrl-C for example: 128 and the number of SIGINT, as shells have it

/** A failure with a reason of one line. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: number = FAILED,
  ) {
    super(message);
  }
}

/** An error in one line; an unexpected one with its stack. */
export function describeFailure(error: unknown): string {
  const problem = error instanceof ProblemError ? error : undefined;
  const faults = Object.entries(problem?.options.errors ?? {});
  if (faults.length > 0) return faults.map(([field, message]) => `${field} ${message}`).join('; ');
  const reason = unavailability(error);
  if (reason !== undefined) return `The database cannot be used (${reason}): ${remedyFor(reason)}.`;
  if (problem !== undefined) return problem.detail;
  if (!(error instanceof Error)) return String(error);
  return isUnexpected(error) ? (error.stack ?? error.message) : error.message;
}

/** Errors meant for people have a class of their own, or name a system call: of a file that cannot be written, say. */
function isUnexpected(error: Error): boolean {
  const plain: unknown[] = [Error, TypeError, RangeError, ReferenceError];
  return plain.includes(error.constructor) && !('syscall' in error);
}
