import { AUTHENTICATION_CONNECTIONS } from '../../database/data-source.js';
import { type Finding, findingsOf } from './report.js';

export interface Connections {
  /** Of the server, without reserved ones; of the role and of the database -1 without a limit. */
  readonly serverLimit: number;
  readonly roleLimit: number;
  readonly databaseLimit: number;
  /** Of other clients. */
  readonly taken: number;
  /** Of all instances of the service. */
  readonly held: number;
}

/** Of authentication and of the health check. */
const BESIDE_THE_POOL = AUTHENTICATION_CONNECTIONS + 1;

/** The connections of all instances against the lowest limit. Without a number, the instances are those that run. */
export function checkConnections(
  poolSize: number,
  given: number | undefined,
  { taken, held, serverLimit, roleLimit, databaseLimit }: Connections,
): Finding[] {
  const each = poolSize + BESIDE_THE_POOL;
  const instances = Math.max(given ?? 1, Math.ceil(held / each));
  const needed = instances * each;
  const raise = needed + taken;
  const limits: [allowed: number, name: string, remedy: string][] = [
    [
      serverLimit,
      'max_connections',
      `ALTER SYSTEM SET max_connections = ${raise + 20}; then restart PostgreSQL`,
    ],
    [roleLimit, 'the CONNECTION LIMIT of the role', `ALTER ROLE … CONNECTION LIMIT ${needed}`],
    [databaseLimit, 'the CONNECTION LIMIT of the database', `ALTER DATABASE … CONNECTION LIMIT ${raise}`],
  ];
  const [[allowed, name, remedy] = [0, '', '']] = limits
    .filter(([limit]) => limit >= 0)
    .sort(([one], [other]) => one - other);
  const want = instances === 1 ? '1 instance wants' : `${instances} instances want`;
  const text =
    `DB_POOL_SIZE is ${poolSize}: ${want} ${needed} connections; ${name} allows ${allowed}; ` +
    `the service holds ${held} now, others ${taken}`;
  const room = needed > allowed ? allowed : allowed - taken;
  const fitting = Math.max(1, Math.floor(room / instances) - BESIDE_THE_POOL);
  return findingsOf('connections', text, [
    [
      needed > room,
      needed > allowed ? 'fail' : 'warn',
      text,
      `DB_POOL_SIZE=${fitting}, or as superuser: ${remedy}`,
    ],
  ]);
}
