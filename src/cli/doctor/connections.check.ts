import { AUTHENTICATION_CONNECTIONS } from '../../database/database.js';
import { fail, type Finding, ok, warn } from './finding.js';

export interface Connections {
  /** Of the server, reserved ones not counted; of the role and of the database -1 without a limit. */
  readonly serverLimit: number;
  readonly roleLimit: number;
  readonly databaseLimit: number;
  /** How many clients have now, this one and the service's own not counted. */
  readonly taken: number;
  /** How many the service has now, all instances together. */
  readonly held: number;
}

/** What all instances of the service want. */
export interface Demand {
  readonly poolSize: number;
  /** As many as there will be, where that is known. */
  readonly instances: number | undefined;
}

/** Columns of a SELECT that needs no rights: {@link Connections}. */
export const CONNECTIONS = `
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - coalesce(current_setting('reserved_connections', true), '0')::int AS "serverLimit",
  (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS "roleLimit",
  (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS "databaseLimit",
  (SELECT count(*)::int FROM pg_stat_activity
    WHERE datid IS NOT NULL AND pid <> pg_backend_pid()
      AND application_name NOT LIKE 'property-finance%') AS taken,
  (SELECT count(*)::int FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'property-finance') AS held`;

/** Of authentication and of the health check. */
const BESIDE_THE_POOL = AUTHENTICATION_CONNECTIONS + 1;

export function checkConnections({ poolSize, instances: given }: Demand, found: Connections): Finding {
  const { taken, held } = found;
  const each = poolSize + BESIDE_THE_POOL;
  const instances = Math.max(given ?? 1, Math.ceil(held / each)); // those that run can be seen by what they hold
  const needed = instances * each;
  const limits = [
    {
      allowed: found.serverLimit,
      name: 'max_connections',
      raise: `ALTER SYSTEM SET max_connections = ${needed + taken + 20}; then restart PostgreSQL`,
    },
    {
      allowed: found.roleLimit,
      name: 'the CONNECTION LIMIT of the role',
      raise: `ALTER ROLE … CONNECTION LIMIT ${needed}`,
    },
    {
      allowed: found.databaseLimit,
      name: 'the CONNECTION LIMIT of the database',
      raise: `ALTER DATABASE … CONNECTION LIMIT ${needed + taken}`,
    },
  ];
  const [{ allowed, name, raise } = { allowed: 0, name: '', raise: '' }] = limits
    .filter((limit) => limit.allowed >= 0)
    .sort((one, other) => one.allowed - other.allowed);
  const wanted = `${instances === 1 ? '1 instance wants' : `${instances} instances want`} ${needed} connections`;
  const text = `DB_POOL_SIZE is ${poolSize}: ${wanted}; ${name} allows ${allowed}; the service holds ${held} now, others ${taken}`;
  const fitting = (room: number): string =>
    `DB_POOL_SIZE=${Math.max(1, Math.floor(room / instances) - BESIDE_THE_POOL)}, or as superuser: ${raise}`;
  if (needed > allowed) return fail('connections', text, fitting(allowed));
  if (needed > allowed - taken) return warn('connections', text, fitting(allowed - taken));
  return ok('connections', text);
}
