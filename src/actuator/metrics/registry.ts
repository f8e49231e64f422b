import { Gauge, type Metric, Registry } from 'prom-client';

/**
 * prom-client's own `nodejs_*` and `process_*`. They measure the process, and what they observe it with cannot be
 * stopped: so there is one set of them, however many applications the process makes.
 */
export const PROCESS_METRICS = new Registry();

export type Labels = Readonly<Record<string, string>>;
type Series = readonly [Labels, number];

/** All metrics in Prometheus' text format. Every series says which application it is of. */
export async function expose(registries: readonly Registry[], application: string): Promise<string> {
  const all = Registry.merge([...registries, PROCESS_METRICS]);
  all.setDefaultLabels({ application });
  return all.metrics();
}

/** `_total` is for counters; these are gauges, and the sums of those without it. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

export function dropMisnamedGauges(): void {
  for (const name of MISNAMED) PROCESS_METRICS.removeSingleMetric(name);
}

/** Milliseconds. The lag is sampled a hundred times a second. */
const SHORTEST_LAG_SPAN = 500;
let keepsLag = false;

/**
 * At each scrape prom-client forgets what it has seen of the event loop. A second scrape right after would tell of
 * nothing, with a mean that is no number and a minimum of centuries: it gets the figures of the first instead.
 */
export function keepEventLoopLag(): void {
  const lag = PROCESS_METRICS.getMetricsAsArray().find(({ name }) => name === 'nodejs_eventloop_lag_seconds');
  if (lag === undefined || keepsLag) return;
  keepsLag = true;
  const collect = lag.collect.bind(lag);
  let collectedAt = -Infinity;
  lag.collect = () => {
    const now = performance.now();
    if (now - collectedAt < SHORTEST_LAG_SPAN) return;
    collectedAt = now;
    return collect();
  };
}

/**
 * Adds a metric without labels that does not say that it is a gauge: `promtool check metrics` keeps some suffixes for
 * other types, and dashboards want the name as it is.
 */
export function untyped(registry: Registry, name: string, help: string, read: () => number): void {
  const about = { name, help, type: 'untyped' };
  const get = () => Promise.resolve({ ...about, values: [{ value: read(), labels: {} }] });
  registry.registerMetric({ ...about, get } as unknown as Metric);
}

/** Adds a gauge without labels that is read when it is scraped; what cannot be read leaves it as it was. */
export function gauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | undefined | Promise<number | undefined> = () => undefined,
): Gauge {
  return new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value !== undefined) this.set(value);
    },
  });
}

/** A gauge whose series, by their labels, are all read when it is scraped; what cannot be read stays as it was. */
export function labelledGauge(
  registry: Registry,
  about: { readonly name: string; readonly help: string; readonly labelNames: readonly string[] },
  read: () => Iterable<Series> | Promise<Iterable<Series>>,
): void {
  new Gauge({
    ...about,
    registers: [registry],
    async collect() {
      for (const [labels, value] of await read()) this.set(labels, value);
    },
  });
}
