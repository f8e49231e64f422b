import pg from 'pg';

/** The servers of a Citus cluster to test on, the coordinator first; none to test on PostgreSQL itself. */
export function citusServers(): URL[] {
  return (process.env['TEST_CITUS'] ?? '').split(' ').flatMap((url) => (url === '' ? [] : [new URL(url)]));
}

/** Makes the database one of the cluster: what is distributed there goes to the workers. */
export async function joinCluster(name: string, [coordinator, ...workers]: readonly URL[]): Promise<void> {
  if (coordinator === undefined) return;
  const inside = (server: URL): string => new URL(`/${name}`, server).href;
  for (const worker of workers) {
    await query(worker.href, `CREATE DATABASE ${name}`);
    await query(inside(worker), 'CREATE EXTENSION citus');
  }
  await query(inside(coordinator), 'CREATE EXTENSION citus');
  await query(inside(coordinator), 'SELECT citus_set_coordinator_host($1, $2)', placeOf(coordinator));
  for (const worker of workers)
    await query(inside(coordinator), 'SELECT citus_add_node($1, $2)', placeOf(worker));
}

function placeOf({ hostname, port }: URL): [string, string] {
  return [hostname, port];
}

async function query(url: string, text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text, values);
  } finally {
    await client.end();
  }
}
