import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Cluster } from '../faults/support/cluster.js';
import { type Open, openOf } from './open.js';
import type { Service } from '../faults/support/service.js';
import type { Client } from '../support/client.js';
import { parseExposition } from '../support/exposition.js';
import { until } from '../support/until.js';
import type { Holdings } from './collector.js';

/** The holdings of a service that nobody asks for anything. */
export interface Sample {
  /** Seconds since the load began. */
  readonly at: number;
  /** Bytes, after a collection of garbage. */
  readonly heap: number;
  /** Bytes of buffers and all else outside of V8's heap. */
  readonly external: number;
  readonly resident: number;
  /** Without the connections to PostgreSQL. */
  readonly descriptors: number;
  /** Of the event loop, without those connections and the timers that close the idle ones. */
  readonly handles: number;
  readonly series: ReadonlySet<string>;
}

/** Milliseconds. */
const SETTLED_WITHIN = 3000;
const POLL_INTERVAL = 50;
/** Equal counts in a row. */
const ENOUGH = 4;
/** Node's own names for the work of this very moment. */
const MOMENTARY = /^nodejs_active_(handles|requests|resources)$/;

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
  cluster: Cluster,
  file: string,
  admin: Client,
): Promise<Omit<Sample, 'at'>> {
  const { status, text } = await admin.get('/actuator/prometheus');
  if (status !== 200) throw new Error(`the metrics: ${status} ${text}`);
  const metrics = [...parseExposition(text).values()].flatMap(({ samples }) => samples);
  const lasting = metrics.filter(({ name }) => !MOMENTARY.test(name));
  const { pooled, connections, descriptors } = await settled(() => openOf(cluster, service.pid));
  rmSync(file, { force: true });
  service.signal('SIGUSR2');
  await until(() => existsSync(file), 20_000);
  const { memory, resources } = JSON.parse(readFileSync(file, 'utf8')) as Holdings;
  return {
    heap: memory.heapUsed,
    external: memory.external,
    resident: memory.rss,
    descriptors,
    handles: resources.length - connections - pooled,
    series: new Set(lasting.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)),
  };
}

/** The service notices a moment later that a connection was closed. */
async function settled(count: () => Promise<Open>): Promise<Open> {
  const deadline = performance.now() + SETTLED_WITHIN;
  let last = await count();
  for (let same = 0; same < ENOUGH && performance.now() < deadline;) {
    await sleep(POLL_INTERVAL);
    const next = await count();
    same = next.descriptors === last.descriptors ? same + 1 : 0;
    last = next;
  }
  return last;
}
