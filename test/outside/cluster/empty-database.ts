import { MIGRATIONS } from '../../../migrations/all.js';
import type { Criterion } from '../../faults/protocol.js';
import { criterion, none } from '../../faults/support/criteria.js';
import type { Cluster } from '../../faults/support/cluster.js';
import { count } from '../../faults/support/figures.js';
import type { Rig } from '../../faults/support/rig.js';
import { Instances } from '../proxy/instances.js';
import { timeUntil } from '../../support/until.js';

const INSTANCES = 3;

const ALL_WAIT_WITHIN = 20_000;
const WAITING = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = $1
                  AND backend_type = 'client backend'`; // autovacuum may wait, too

/** Three instances, started on an empty database of which each of them has to wait for the same moment. */
export async function migrateTogether(
  rig: Rig,
  database: Cluster,
  env: Record<string, string>,
): Promise<[Instances, Criterion[]]> {
  const open = await closeSchema(database);
  const [instances, waiting] = await Promise.all([
    Instances.together(rig, database.url, INSTANCES, env),
    waitingFor(database, INSTANCES).finally(open),
  ]);
  const allWait = criterion('all are about to migrate at once', waiting === INSTANCES, count(waiting));
  return [instances, [allWait, ...(await migratedOnce(database, instances))]];
}

/** Until it is opened nobody makes a table, so that no instance gets ahead of the others. */
export async function closeSchema(database: Cluster, name?: string): Promise<() => Promise<void>> {
  const client = await database.connect(name);
  await client.query('BEGIN');
  await client.query('LOCK TABLE pg_catalog.pg_class IN SHARE MODE');
  return () => client.end();
}

/** How many wait for a lock, as soon as they are as many as that. */
export async function waitingFor({ sql }: Cluster, instances: number, name = 'ledger'): Promise<number> {
  let waiting = 0;
  const look = async (): Promise<boolean> => (waiting = (await sql(WAITING, [name])).length) >= instances;
  await timeUntil(look, ALL_WAIT_WITHIN);
  return waiting;
}

async function migratedOnce({ sql }: Cluster, { services }: Instances): Promise<Criterion[]> {
  const rows = await sql('SELECT FROM migrations');
  const lines = services.flatMap((service) =>
    service.lines.filter(({ migration }) => migration !== undefined),
  );
  // Whoever loses a race for the schema only warns, and tries again.
  const complaints = services.flatMap((service) => [
    ...service.lines.filter(({ level }) => level !== 'info').map(({ msg = '' }) => msg),
    ...service.strayLines,
  ]);
  const told = `${count(lines.length)} made, ${count(rows.length)} noted`;
  return [
    criterion(
      'each migration is made once',
      lines.length === MIGRATIONS.length && rows.length === MIGRATIONS.length,
      told,
    ),
    none('complaint of an instance', complaints),
  ];
}
