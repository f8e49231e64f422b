import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Cluster } from '../faults/support/cluster.js';
import type { Service } from '../faults/support/service.js';
import type { Client } from '../support/client.js';
import { parseExposition } from '../support/exposition.js';
import { until } from '../support/until.js';
import type { Holdings } from './collector.js';

/** The holdings of a service without requests. */
export interface Sample {
  /** Bytes, after a collection of garbage. */
  readonly heap: number;
  /** Bytes of buffers and all else outside of V8's heap. */
  readonly external: number;
  readonly resident: number;
  /** Connections of the pool, whose size varies. */
  readonly pooled: number;
  /** Without the connections to PostgreSQL. */
  readonly descriptors: number;
  /** Of the event loop, without those connections and the timers that close the idle ones. */
  readonly handles: number;
  readonly series: ReadonlySet<string>;
}

/** The service notices a moment later that its clients have closed their connections. */
const SETTLED_AFTER = 500;
/** Node's own names for the work of this very moment. */
const MOMENTARY = /^nodejs_active_(handles|requests|resources)$/;
const CONNECTIONS = `SELECT count(*)::int AS connections,
  count(*) FILTER (WHERE application_name = 'property-finance')::int AS pooled
  FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`;

/** Arguments of Node for a service that writes its holdings to the file on SIGUSR2. */
export function collecting(folder: string): { file: string; nodeArgs: readonly string[] } {
  const file = join(folder, 'holdings.json');
  const collector = pathToFileURL(join(import.meta.dirname, 'collector.js'));
  collector.searchParams.set('file', file);
  return { file, nodeArgs: ['--expose-gc', '--import', collector.href] };
}

/** Takes a sample of a service whose clients have hung up. */
export async function takeSample(
  service: Service,
  { sql }: Cluster,
  file: string,
  admin: Client,
): Promise<Sample> {
  const { status, text } = await admin.get('/actuator/prometheus');
  if (status !== 200) throw new Error(`the metrics: ${status} ${text}`);
  const metrics = [...parseExposition(text).values()].flatMap(({ samples }) => samples);
  // A request that its client leaves is counted as UNKNOWN or as answered, as the moment has it.
  const lasting = metrics.filter(
    ({ name, labels }) => !MOMENTARY.test(name) && labels['status'] !== 'UNKNOWN',
  );
  await sleep(SETTLED_AFTER);
  const [open] = await sql<{ connections: number; pooled: number }>(CONNECTIONS);
  const { connections, pooled } = open!;
  rmSync(file, { force: true });
  service.signal('SIGUSR2');
  await until(() => existsSync(file), 20_000);
  const { memory, resources } = JSON.parse(readFileSync(file, 'utf8')) as Holdings;
  return {
    heap: memory.heapUsed,
    external: memory.external,
    resident: memory.rss,
    pooled,
    descriptors: readdirSync(`/proc/${service.pid}/fd`).length - connections,
    handles: resources.length - connections - pooled,
    series: new Set(lasting.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)),
  };
}
