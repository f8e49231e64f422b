import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../faults/support/cluster.js';

/** Open connections to PostgreSQL, and other descriptors, of a service. */
export interface Open {
  readonly pooled: number;
  /** With the one of the health check. */
  readonly connections: number;
  readonly descriptors: number;
}

const INTERVAL = 100;
const CONNECTIONS = `SELECT count(*)::int AS connections,
  count(*) FILTER (WHERE application_name = 'property-finance')::int AS pooled
  FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`;

/** The size of the pool varies, so that its connections are counted apart. */
export async function openOf({ sql }: Cluster, pid: number): Promise<Open> {
  const [row] = await sql<Omit<Open, 'descriptors'>>(CONNECTIONS);
  const { pooled, connections } = row!;
  return { pooled, connections, descriptors: readdirSync(`/proc/${pid}/fd`).length - connections };
}

/** Watches the size of the pool; returns the end of that, which tells the most. */
export async function countConnections(cluster: Cluster): Promise<() => Promise<number>> {
  const client = await cluster.connect();
  let most = 0;
  let goesOn = true;
  const watch = async (): Promise<void> => {
    while (goesOn) {
      const { rows } = await client.query<Open>(CONNECTIONS);
      most = Math.max(most, rows[0]!.pooled);
      await sleep(INTERVAL);
    }
  };
  const watching = watch();
  return async () => {
    goesOn = false;
    await watching;
    await client.end();
    return most;
  };
}
