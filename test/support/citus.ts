import { rowsOf } from './connect.js';

/** The servers of a Citus cluster to test on, the coordinator first; none to test on PostgreSQL itself. */
export function citusServers(): URL[] {
  return (process.env['TEST_CITUS'] ?? '').split(' ').flatMap((url) => (url === '' ? [] : [new URL(url)]));
}

/** Makes the database one of the cluster: what is distributed there goes to the workers. */
export async function joinCluster(name: string, [coordinator, ...workers]: readonly URL[]): Promise<void> {
  if (coordinator === undefined) return;
  const inside = (server: URL): string => new URL(`/${name}`, server).href;
  for (const worker of workers) {
    await rowsOf(worker.href, `CREATE DATABASE ${name}`);
    await rowsOf(inside(worker), 'CREATE EXTENSION citus');
  }
  await rowsOf(inside(coordinator), 'CREATE EXTENSION citus');
  await rowsOf(inside(coordinator), 'SELECT citus_set_coordinator_host($1, $2)', placeOf(coordinator));
  for (const worker of workers)
    await rowsOf(inside(coordinator), 'SELECT citus_add_node($1, $2)', placeOf(worker));
}

function placeOf({ hostname, port }: URL): [string, string] {
  return [hostname, port];
}
