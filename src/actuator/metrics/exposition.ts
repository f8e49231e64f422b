import { collectDefaultMetrics, Registry } from 'prom-client';

/** prom-client's own `nodejs_*` and `process_*`. Its observers of the process cannot be stopped, so there is one set. */
export const DEFAULT_METRICS = new Registry();
collectDefaultMetrics({ register: DEFAULT_METRICS });

/** `_total` is for counters; these are gauges, and the sums of those without it. */
for (const kind of ['handles', 'requests', 'resources'])
  DEFAULT_METRICS.removeSingleMetric(`nodejs_active_${kind}_total`);

/** Milliseconds in which the lag of the event loop is sampled fifty times. */
const SHORTEST_SPAN = 500;

/**
 * A second scrape right after another gets these as they were. The event loop's lag would be a mean that is no number,
 * because prom-client forgets it at each scrape; open files are read for two names.
 */
for (const metric of DEFAULT_METRICS.getMetricsAsArray()) {
  if (!['nodejs_eventloop_lag_seconds', 'process_open_fds'].includes(metric.name)) continue;
  const collect = metric.collect.bind(metric);
  let collectedAt = -Infinity;
  metric.collect = () => {
    if (performance.now() - collectedAt < SHORTEST_SPAN) return;
    collectedAt = performance.now();
    return collect();
  };
}
