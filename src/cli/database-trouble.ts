import { unavailability } from '../database/errors.js';
import { remedyFor } from '../database/remedies.js';

export interface DatabaseTrouble {
  readonly reason: string;
  readonly remedy: string;
}

/** What is wrong with the database and how to mend it, or undefined when the error is not about that. */
export function databaseTrouble(error: unknown): DatabaseTrouble | undefined {
  const reason = unavailability(error);
  if (reason === undefined) return undefined;
  return { reason, remedy: remedyFor(reason) };
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
