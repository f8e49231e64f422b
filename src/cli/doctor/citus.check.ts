import type pg from 'pg';
import { type Citus, type CitusNode, citusOf, undistributed } from '../../database/citus.js';
import { fail, type Finding, ok, warn } from './finding.js';

/** Nothing, where the database has nothing to do with Citus. */
export async function checkCitus(client: pg.Client): Promise<Finding[]> {
  const citus = await citusOf(client);
  if (citus === undefined) return [];
  if (!citus.isCoordinator)
    return [
      fail(
        'citus',
        `${citus.version}: this server is a worker, not the coordinator`,
        'let DB_HOST (or DB_URL) name the coordinator',
      ),
    ];
  return [checkTables(citus), ...(await checkWorkers(citus.workers, client))];
}

function checkTables(citus: Citus): Finding {
  const { version, distributed, workers } = citus;
  const missing = undistributed(citus);
  const text = `${version}: the coordinator of ${workers.length === 1 ? '1 worker' : `${workers.length} workers`}`;
  if (missing.length === 0) return ok('citus', `${text}; the tables are distributed`);
  if (distributed.length > 0)
    return fail('citus', `${text}; not distributed as the others are: ${missing.join(', ')}`, HELP);
  if (workers.length === 0)
    return warn('citus', text, `as a superuser, for each: SELECT citus_add_node('…', 5432)`);
  return warn('citus', `${text}; the tables are not distributed`, 'npm run cli -- db distribute');
}

const HELP = 'docs/scaling.md says how to distribute a table by itself';

async function checkWorkers(workers: readonly CitusNode[], client: pg.Client): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { host, port } of workers)
    if (!(await answers(client, { host, port })))
      findings.push(
        fail(
          'citus',
          `the worker ${host}:${port} is away: its owners, sign-up and much of ADMIN's are answered 503`,
          'start it, or promote its standby and name that: SELECT citus_update_node(…)',
        ),
      );
  return findings;
}

/** Of a worker that is frozen there is no answer within the statement timeout. */
async function answers(client: pg.Client, { host, port }: CitusNode): Promise<boolean> {
  const statement = 'SELECT citus_check_connection_to_node($1, $2) AS answers';
  return client.query<{ answers: boolean }>(statement, [host, port]).then(
    ({ rows }) => rows[0]?.answers === true,
    () => false,
  );
}
