import { repeatedly } from '../../support/repeatedly.js';
import type { Cluster } from './cluster.js';

const INTERVAL = 100;
const COUNT = `SELECT count(*)::int AS number FROM pg_stat_activity WHERE application_name = 'property-finance'`;

/** Watches how many connections PostgreSQL has of the service's pool; what it returns stops that, and tells the most. */
export async function countConnections(cluster: Cluster): Promise<() => Promise<number>> {
  const client = await cluster.connect();
  let most = 0;
  const stop = repeatedly(async () => {
    const { rows } = await client.query<{ number: number }>(COUNT);
    most = Math.max(most, rows[0]?.number ?? 0);
  }, INTERVAL);
  return async () => {
    await stop();
    await client.end();
    return most;
  };
}
