import { readdirSync } from 'node:fs';
import type { Cluster } from './cluster.js';

/** What a service has open: connections to PostgreSQL, and descriptors that are none. */
export interface Open {
  readonly pooled: number;
  /** With the one of the health check. */
  readonly connections: number;
  readonly descriptors: number;
}

const CONNECTIONS = `SELECT count(*)::int AS connections,
  count(*) FILTER (WHERE application_name = 'property-finance')::int AS pooled
  FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`;

/** The pool has as many connections as it happens to need, so that they are counted apart. */
export async function openOf(cluster: Cluster, pid: number): Promise<Open> {
  const [{ pooled, connections } = { pooled: NaN, connections: NaN }] =
    await cluster.sql<Omit<Open, 'descriptors'>>(CONNECTIONS);
  return { pooled, connections, descriptors: readdirSync(`/proc/${pid}/fd`).length - connections };
}
