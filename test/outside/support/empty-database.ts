import { MIGRATIONS } from '../../../migrations/all.js';
import type { Cluster } from '../../faults/support/cluster.js';
import type { Service } from '../../faults/support/service.js';
import { timeUntil } from '../../support/until.js';

const ALL_WAIT_WITHIN = 60_000;
const WAITING = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = $1
                  AND backend_type = 'client backend'`; // autovacuum may wait, too

/** Launches services on an empty database, which migrate at the same moment. Returns them, and their faults. */
export async function migrateTogether(
  cluster: Cluster,
  database: string,
  launch: () => Service[],
): Promise<[services: Service[], faults: string[]]> {
  const client = await cluster.connect(database);
  await client.query('BEGIN');
  await client.query('LOCK TABLE pg_catalog.pg_class IN SHARE MODE'); // nobody can make a table
  const services = launch();
  const { length } = services;
  const allWait = async (): Promise<boolean> => (await cluster.sql(WAITING, [database])).length >= length;
  const waited = await timeUntil(allWait, ALL_WAIT_WITHIN).finally(() => client.end());
  await Promise.all(services.map((service) => service.ready()));
  const ready = services.flatMap(({ lines }) => lines.filter(({ msg }) => msg === 'the database is ready'));
  const applied = ready.flatMap(({ migrations }) => migrations);
  const faults = [
    ...(waited === Infinity ? [`not all ${length} waited to migrate`] : []),
    ...(applied.length === MIGRATIONS.length && new Set(applied).size === applied.length
      ? []
      : [`${applied.length} migrations applied, not ${MIGRATIONS.length}`]),
    ...services.flatMap(complaintsOf),
  ];
  return [services, faults];
}

/** Lines above INFO, and output beside the log. */
export function complaintsOf({ lines, strayLines }: Service): string[] {
  return [...lines.filter(({ level }) => level !== 'info').map(({ msg = '' }) => msg), ...strayLines];
}
