import { collectDefaultMetrics, Registry } from 'prom-client';

/** prom-client's own `nodejs_*` and `process_*`. Its observers of the process cannot be stopped, so there is one set. */
export const PROCESS_METRICS = new Registry();
collectDefaultMetrics({ register: PROCESS_METRICS });

/** `_total` is for counters; these are gauges, and the sums of those without it. */
for (const kind of ['handles', 'requests', 'resources'])
  PROCESS_METRICS.removeSingleMetric(`nodejs_active_${kind}_total`);

/** Milliseconds in which the lag is sampled fifty times. */
const SHORTEST_LAG_SPAN = 500;
keepEventLoopLag();

/**
 * prom-client forgets at each scrape what it has seen of the event loop. A second scrape right after would show
 * a mean that is no number and a minimum of centuries: it gets the figures of the first instead.
 */
function keepEventLoopLag(): void {
  const lag = PROCESS_METRICS.getMetricsAsArray().find(({ name }) => name === 'nodejs_eventloop_lag_seconds');
  if (lag === undefined) return;
  const collect = lag.collect.bind(lag);
  let collectedAt = -Infinity;
  lag.collect = () => {
    if (performance.now() - collectedAt < SHORTEST_LAG_SPAN) return;
    collectedAt = performance.now();
    return collect();
  };
}

/** All metrics in Prometheus' text format. Every series says which application it is of. */
export async function expose(registry: Registry, application: string): Promise<string> {
  const all = Registry.merge([registry, PROCESS_METRICS]);
  all.setDefaultLabels({ application });
  return all.metrics();
}
