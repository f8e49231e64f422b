import { fail, type Finding, ok, warn } from './finding.js';

export interface Connections {
  /** How many this role may have in this database, reserved ones not counted. */
  readonly allowed: number;
  /** How many clients have now, this one and the service's own not counted. */
  readonly taken: number;
}

/** Columns of a SELECT that needs no rights: {@link Connections}. Without a limit, the ones of role and database are -1. */
export const CONNECTIONS = `
  least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true), '0')::int,
        (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
        (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS allowed,
  (SELECT count(*)::int FROM pg_stat_activity
    WHERE datid IS NOT NULL AND pid <> pg_backend_pid()
      AND application_name NOT LIKE 'property-finance%') AS taken`;

/** Beside the pool, the health check has a connection of its own. */
const BESIDE_THE_POOL = 1;

export function checkConnections(poolSize: number, { allowed, taken }: Connections): Finding {
  const text = `DB_POOL_SIZE is ${poolSize}; this role may have ${allowed} connections, and others hold ${taken}`;
  const fitting = (room: number): string =>
    `DB_POOL_SIZE=${Math.max(1, room - BESIDE_THE_POOL)}, or as superuser: ` +
    `ALTER SYSTEM SET max_connections = ${poolSize + taken + 20}; then restart PostgreSQL`;
  if (poolSize + BESIDE_THE_POOL > allowed) return fail('connections', text, fitting(allowed));
  if (poolSize + BESIDE_THE_POOL > allowed - taken)
    return warn('connections', text, fitting(allowed - taken));
  return ok('connections', text);
}
