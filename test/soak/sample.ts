import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../faults/protocol.js';
import type { Cluster } from '../faults/support/cluster.js';
import { criterion } from '../faults/support/criteria.js';
import { count, highest, median } from '../faults/support/figures.js';
import type { Service } from '../faults/support/service.js';
import type { Client } from '../support/client.js';
import { parseExposition } from '../support/exposition.js';

/** The holdings of a service without requests; memory in MB, after a collection of garbage. */
export interface Sample {
  readonly heap: number;
  /** Of buffers and all else outside of V8's heap. */
  readonly external: number;
  readonly resident: number;
  /** Connections of the pool, whose size varies. */
  readonly pooled: number;
  /** Without the connections to PostgreSQL. */
  readonly descriptors: number;
  /** Of the event loop, without those connections and the timers that close the idle ones. */
  readonly handles: number;
  /** Metric series. */
  readonly series: number;
  /** Names of metrics, and the values of their labels. */
  readonly labels: ReadonlySet<string>;
}

/** Milliseconds, in which the service also notices that its clients have closed their connections. */
const COLLECTED_AFTER = 500;
const MB = 1024 * 1024;
/** One collection lets finalizers run, whose garbage only the next one finds. */
const COLLECTOR = `process.on('SIGUSR2', () => [0, 20, 40, 60].forEach((delay) => setTimeout(() => gc(), delay)))`;
/** Arguments of Node for a service that collects its garbage on SIGUSR2. */
export const COLLECTING = [
  '--expose-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent(COLLECTOR)}`,
];

/** Node's own names for the work of this very moment. */
const MOMENTARY = /^nodejs_active_(handles|requests|resources)$/;
const CONNECTIONS = `SELECT count(*)::int AS connections,
  count(*) FILTER (WHERE application_name = 'property-finance')::int AS pooled
  FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`;

/** Takes a sample of a service whose clients have hung up. */
export async function takeSample(service: Service, { sql }: Cluster, admin: Client): Promise<Sample> {
  service.signal('SIGUSR2');
  await sleep(COLLECTED_AFTER);
  const [open] = await sql<{ connections: number; pooled: number }>(CONNECTIONS);
  const { connections, pooled } = open!;
  const { status, text } = await admin.get('/actuator/prometheus');
  if (status !== 200) throw new Error(`the metrics: ${status} ${text}`);
  const metrics = [...parseExposition(text).values()].flatMap(({ samples }) => samples);
  const sum = (name: string): number =>
    metrics.filter((one) => one.name === name).reduce((total, { value }) => total + value, 0);
  // A request that its client leaves is counted as UNKNOWN, as too slow or as answered, as the moment has it.
  const lasting = metrics.filter(
    ({ name, labels }) => !MOMENTARY.test(name) && !/^(UNKNOWN|408)$/.test(labels['status'] ?? ''),
  );
  return {
    heap: sum('nodejs_heap_size_used_bytes') / MB,
    external: sum('nodejs_external_memory_bytes') / MB,
    resident: sum('process_resident_memory_bytes') / MB,
    pooled,
    descriptors: sum('process_open_fds') - connections,
    handles: sum('nodejs_active_resources') - connections - pooled,
    series: metrics.length,
    labels: new Set(
      lasting.flatMap(({ name, labels }) => [
        name,
        ...Object.entries(labels).map(([label, value]) => `${name} ${label}="${value}"`),
      ]),
    ),
  };
}

/** Early samples whose median is a level, and late ones. */
const LEVEL = 3;
const POOL_SIZE = 10;

/** Compares early with late holdings; growth is the most times their early level that memory and metric series may reach. */
export function levelCriteria(samples: readonly Sample[], growth: number): Criterion[] {
  const flat = (
    name: 'heap' | 'external' | 'descriptors' | 'handles' | 'series',
    most: number,
  ): Criterion => {
    const all = samples.map((sample) => sample[name]);
    // What is lost never comes back, and what a busy machine has not closed yet is no loss: the least of the late ones tells.
    const [early, late] = [median(all.slice(0, LEVEL)), Math.min(...all.slice(-LEVEL))];
    const shown = [early, late, Math.min(...all), Math.max(...all)].map((it) => it.toFixed(1));
    const measured = `${shown[0]}, then ${shown[1]}; ${shown[2]} to ${shown[3]} in all samples`;
    return criterion(`${name} ≤ ${most} × its early level`, late <= most * early, measured);
  };
  // A new series of known values is one more of a bounded number: what a client has left is counted as the moment has it.
  const [early, late] = [samples[LEVEL - 1]!.labels, samples.at(-1)!.labels];
  const further = [...late].filter((one) => !early.has(one));
  const named = [`${count(early.size)}, then ${count(late.size)}`, ...further.slice(0, 2)].join('; new: ');
  const pooled = highest(samples.map((sample) => sample.pooled));
  return [
    flat('heap', growth),
    flat('external', growth),
    flat('descriptors', 1),
    flat('handles', 1),
    flat('series', growth),
    criterion(`connections of the pool ≤ ${POOL_SIZE}`, pooled <= POOL_SIZE, `${pooled} at most`),
    criterion('no new value of a metric label', further.length === 0, named),
  ];
}
