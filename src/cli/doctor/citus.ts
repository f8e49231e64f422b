import type pg from 'pg';
import { type Citus, citusOf, TABLES } from '../../database/citus.js';
import { type Finding, findingsOf } from './findings.js';

const ADD_WORKER = `as a superuser, for each: SELECT citus_add_node('…', 5432)`;
export const DISTRIBUTE = 'npm run cli -- db distribute';

export async function checkCitus(client: pg.Client): Promise<Finding[]> {
  const citus = await citusOf(client);
  if (citus === undefined) return [];
  const away = citus.isCoordinator ? await workersAway(client, citus.workers) : [];
  return [...checkTables(citus), ...away];
}

/** One finding. Its remedy is {@link DISTRIBUTE} when nothing prevents that. */
export function checkTables(citus: Citus): Finding[] {
  const { version, isCoordinator, workers, missing } = citus;
  const text = `${version}: the coordinator of ${workers.length} ${workers.length === 1 ? 'worker' : 'workers'}`;
  const isPart = missing.length > 0 && missing.length < TABLES.length;
  const worker = `${version}: this server is a worker, not the coordinator`;
  const part = `${text}; not distributed as the others are: ${missing.join(', ')}`;
  return findingsOf('citus', `${text}; the tables are distributed`, [
    [!isCoordinator, 'fail', worker, 'let DB_HOST (or DB_URL) name the coordinator'],
    [isPart, 'fail', part, 'docs/scaling.md says how to distribute a table by itself'],
    [missing.length > 0 && workers.length === 0, 'warn', text, ADD_WORKER],
    [missing.length > 0, 'warn', `${text}; the tables are not distributed`, DISTRIBUTE],
  ]).slice(0, 1);
}

async function workersAway(client: pg.Client, workers: Citus['workers']): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { host, port } of workers) {
    const { rows } = await client
      .query<{ reached: boolean }>('SELECT citus_check_connection_to_node($1, $2) AS reached', [host, port])
      .catch(() => ({ rows: [] })); // a frozen worker lets the statement time out
    const text = `the worker ${host}:${port} is away: its owners, sign-up and much of ADMIN's are answered 503`;
    const remedy = 'start it, or promote its standby and name that: SELECT citus_update_node(…)';
    if (rows[0]?.reached !== true) findings.push({ status: 'fail', subject: 'citus', text, remedy });
  }
  return findings;
}
