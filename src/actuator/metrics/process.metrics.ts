import { existsSync, readdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Provider } from '@nestjs/common';
import { collectDefaultMetrics, type Histogram, Registry } from 'prom-client';
import { gaugeProvider, type Gauges } from '../../common/metrics/providers.js';
import { Settings } from '../../config/env.js';
import { Requests } from '../../http/requests.js';

/** prom-client's own `nodejs_*` and `process_*`. Its observers of the process cannot be stopped, so there is one set. */
export const DEFAULT_METRICS = new Registry();
collectDefaultMetrics({ register: DEFAULT_METRICS });

/** `_total` is for counters; these are gauges, and the sums of those without it. */
for (const kind of ['handles', 'requests', 'resources'])
  DEFAULT_METRICS.removeSingleMetric(`nodejs_active_${kind}_total`);

/** All series from the start: one that begins with its first event hides that event from rate(). */
const collections = DEFAULT_METRICS.getSingleMetric('nodejs_gc_duration_seconds') as Histogram<'kind'>;
for (const kind of ['major', 'minor', 'incremental', 'weakcb']) collections.zero({ kind });

const LAG_SPAN = 500; // milliseconds in which the lag of the event loop is sampled fifty times

/**
 * A second scrape right after another gets these as they were. The event loop's lag would be a mean that is no number,
 * because prom-client forgets it at each scrape; open files are read for two names.
 */
for (const metric of DEFAULT_METRICS.getMetricsAsArray()) {
  if (!['nodejs_eventloop_lag_seconds', 'process_open_fds'].includes(metric.name)) continue;
  const collect = metric.collect.bind(metric);
  let collectedAt = -Infinity;
  metric.collect = () => {
    if (performance.now() - collectedAt < LAG_SPAN) return;
    collectedAt = performance.now();
    return collect();
  };
}

const PROCESSORS = availableParallelism();
const PATH = process.cwd();
const TASKS = '/proc/self/task';
/** Milliseconds. Below, a difference says more about the clock than about the load. */
const SHORTEST_SPAN = 100;

type Read = (requests: Requests, settings: Settings) => Gauges;
const gauge = (name: string, help: string, read: Read, labelNames: string[] = []): Provider =>
  gaugeProvider({ name, help, labelNames, inject: [Requests, Settings], read });

const loop = utilisation(loopTime);
const SINCE = 'as a share of all processors, since the last scrape.';
const LOAD = [
  gauge('process_cpu_usage', `Processor time of this process, ${SINCE}`, utilisation(processTime)),
  gauge('system_cpu_usage', `Processor time of the whole machine, ${SINCE}`, utilisation(systemTime)),
  gauge('system_cpu_count', 'Processors that this process may use.', () => PROCESSORS),
  gauge('system_load_average_1m', 'Load average of the last minute.', () => loadavg()[0]),
  gauge('process_uptime_seconds', 'How long the process has run.', () => process.uptime()),
  gauge('nodejs_eventloop_utilization', 'The busy share of the event loop, since the last scrape.', loop),
];

/** Requests are served by the thread of the event loop, and by libuv's pool for what would block it. */
const SERVING = "the thread of the event loop and those of libuv's pool";
const threads = (name: string, help: string, count: (pool: number, inFlight: number) => number): Provider => {
  const read: Read = ({ inFlight }, { port, threadPoolSize }) => [
    [{ name: `http-${port}` }, count(threadPoolSize, inFlight.length)],
  ];
  return gauge(`tomcat_threads_${name}_threads`, help, read, ['name']);
};
const ESTIMATE = 'its utilisation, and one of the pool for every request in flight beyond the first.';
const THREADS = [
  threads('config_max', `Threads that may serve requests: ${SERVING}.`, (pool) => 1 + pool),
  threads('current', `Threads that serve requests: ${SERVING}.`, (pool) => 1 + pool),
  threads(
    'busy',
    `An estimate of the busy ones of ${SERVING}: ${ESTIMATE}`,
    (pool, inFlight) => loop() + Math.min(pool, Math.max(0, inFlight - 1)),
  ),
];

let peak = 0;
function liveThreads(): number {
  const { length } = readdirSync(TASKS);
  peak = Math.max(peak, length);
  return length;
}
const own = (name: string) => async () =>
  (await DEFAULT_METRICS.getSingleMetric(name)?.get())?.values[0]?.value;
const WHICH = 'Threads of the process, those of V8 and libuv included';
/** Of Linux. The peak is read right after the live threads, which are counted once. */
const PROC = [
  gauge('jvm_threads_live_threads', `${WHICH}.`, liveThreads),
  gauge('jvm_threads_peak_threads', `${WHICH}: the most that a scrape has seen.`, () => peak),
  gauge('process_files_max_files', 'The most files that this process may have open.', own('process_max_fds')),
  gauge('process_files_open_files', 'Open files, sockets included.', own('process_open_fds')),
];

const disk = (name: string, help: string, blocks: 'bavail' | 'blocks'): Provider => {
  const read = async () => {
    const found = await statfs(PATH).catch(() => undefined);
    return found && [[{ path: PATH }, found[blocks] * found.bsize] as const];
  };
  return gauge(`disk_${name}_bytes`, `The file system of the working directory: ${help}.`, read, ['path']);
};
const DISK = [disk('free', 'free bytes', 'bavail'), disk('total', 'its size', 'blocks')];

export const PROCESS_METRICS = [...LOAD, ...(existsSync(TASKS) ? PROC : []), ...DISK, ...THREADS];

function loopTime(): BusyTime {
  const { active, idle } = performance.eventLoopUtilization();
  return { busy: active, total: active + idle };
}

function processTime(): BusyTime {
  const { user, system } = process.cpuUsage();
  return { busy: (user + system) / 1000, total: performance.now() * PROCESSORS };
}

function systemTime(): BusyTime {
  let [idle, total] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.idle + times.user + times.nice + times.sys + times.irq;
  }
  return { busy: total - idle, total };
}

/** Milliseconds, counted up from any start. */
export type BusyTime = Readonly<{ busy: number; total: number }>;

/** Reads the busy share of the time since the reading before, from 0 to 1. Two at almost the same time are equal. */
export function utilisation(measure: () => BusyTime): () => number {
  let [last, share] = [measure(), 0];
  return () => {
    const now = measure();
    const total = now.total - last.total;
    if (total < SHORTEST_SPAN) return share;
    share = Math.min(1, Math.max(0, (now.busy - last.busy) / total));
    last = now;
    return share;
  };
}
