import { ConfigurationError } from '../config/env.js';
import { EmbeddedPostgresError } from '../quickstart/embedded-postgres/binaries.js';
import { UnknownSchemaError, SchemaRightsError } from '../database/migrate.js';
import { OwnerLocked } from './recount.js';
import { ProblemError } from '../http/problem/problem.js';
import { isSeeded } from '../quickstart/data.js';
import { databaseTrouble, isDatabaseError } from './database-trouble.js';
import { Failure, Interrupted, UsageError } from './errors.js';
import { type ExitCode, FAILED, INTERRUPTED, USAGE } from './exit-codes.js';
import type { Target } from './target.js';

/** What to say about an error, and the exit code. Only what nobody expected shows where it came from. */
export function describeFailure(error: unknown, target: Target): { lines: string[]; exitCode: ExitCode } {
  if (error instanceof UsageError) return { lines: [error.message], exitCode: USAGE };
  if (error instanceof Interrupted) return { lines: [error.message], exitCode: INTERRUPTED };
  const lines = [lineOf(error)];
  if (error instanceof ConfigurationError && !target.isQuickstart && isSeeded(target.dataFolder))
    lines.push("With --quickstart it works on the quickstart's database instead.");
  return { lines, exitCode: FAILED };
}

function lineOf(error: unknown): string {
  if (error instanceof ProblemError) return problemLine(error);
  const trouble = databaseTrouble(error);
  if (trouble !== undefined) return `The database cannot be used (${trouble.reason}): ${trouble.remedy}.`;
  const isExpected = [
    Failure,
    ConfigurationError,
    EmbeddedPostgresError,
    OwnerLocked,
    SchemaRightsError,
    UnknownSchemaError,
  ].some((type) => error instanceof type);
  if (isExpected || isSystemError(error)) return (error as Error).message;
  if (isDatabaseError(error)) return `The database refused it: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function problemLine({ detail, options: { errors, cause } }: ProblemError): string {
  if (errors !== undefined)
    return Object.entries(errors)
      .map(([field, message]) => `${field} ${message}`)
      .join('; ');
  const trouble = databaseTrouble(cause);
  return trouble === undefined ? detail : `${detail} (${trouble.reason}): ${trouble.remedy}.`;
}

/** A file that cannot be written, and the like. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
