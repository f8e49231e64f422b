import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../faults/support/cluster.js';
import { type Open, openOf } from '../faults/support/descriptors.js';
import { withCaller } from '../faults/support/http.js';
import type { Service } from '../faults/support/service.js';
import { parseExposition, type Sample as MetricSample } from '../support/exposition.js';
import type { HoldingsReader } from './holdings.js';

/** What the service holds while nobody asks for anything. */
export interface Sample {
  /** Seconds since the load began. */
  readonly at: number;
  /** Bytes, after a collection of garbage. */
  readonly heap: number;
  /** Bytes of buffers and whatever else is outside of V8's heap. */
  readonly external: number;
  readonly resident: number;
  /** To PostgreSQL: the pool's, and the one of the health check. */
  readonly connections: number;
  /** But for those of these connections. */
  readonly descriptors: number;
  /** What the event loop waits for, but for these connections and the timers that close the idle ones. */
  readonly handles: number;
  readonly series: ReadonlySet<string>;
}

const SETTLED_WITHIN = 3000;
const POLL_INTERVAL = 50;
/** How often the same has to be seen. */
const ENOUGH = 4;
/** They tell what the process does in this very moment, under Node's own names for it. */
const MOMENTARY = /^nodejs_active_(handles|requests|resources)$/;

/** Takes samples of a service whose clients have hung up. */
export class Sampler {
  constructor(
    private readonly service: Service,
    private readonly cluster: Cluster,
    private readonly holdings: HoldingsReader,
    private readonly adminToken: () => string,
  ) {}

  async take(at: number): Promise<Sample> {
    const metrics = await this.scrape();
    const { pooled, connections, descriptors } = await this.settled();
    const { memory, resources } = await this.holdings.read(this.service);
    const { heapUsed: heap, external, rss: resident } = memory;
    const handles = resources.length - connections - pooled;
    const lasting = metrics.filter(({ name }) => !MOMENTARY.test(name));
    const series = new Set(lasting.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`));
    return { at, heap, external, resident, connections, descriptors, handles, series };
  }

  private async scrape(): Promise<MetricSample[]> {
    const { status, text } = await withCaller(this.service.url, (caller) =>
      caller.get('/actuator/prometheus', this.adminToken()),
    );
    if (status !== 200) throw new Error(`the metrics: ${status} ${text}`);
    return [...parseExposition(text).values()].flatMap(({ samples }) => samples);
  }

  /** The service learns a moment later that a connection was closed. */
  private async settled(): Promise<Open> {
    const deadline = performance.now() + SETTLED_WITHIN;
    let last = await this.count();
    for (let same = 0; same < ENOUGH && performance.now() < deadline;) {
      await sleep(POLL_INTERVAL);
      const next = await this.count();
      same = next.descriptors === last.descriptors ? same + 1 : 0;
      last = next;
    }
    return last;
  }

  private count(): Promise<Open> {
    return openOf(this.cluster, this.service.pid);
  }
}
