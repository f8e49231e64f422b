import { existsSync, readdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Requests } from '../../http/requests.js';
import { gauge, type Labels } from '../../metrics/gauge.js';
import { PROCESS_METRICS } from './exposition.js';
import { type BusyTime, utilisation } from './utilisation.js';

const PROCESSORS = availableParallelism();
const PATH = process.cwd();
const THREADS = '/proc/self/task';

type Value = number | undefined;
/** A gauge: name, meaning, and value at a scrape; undefined where the system does not have it. */
type Row = readonly [name: string, help: string, read: () => Value | Promise<Value>];

/** The process and its machine. */
@Injectable()
export class ProcessMetrics {
  constructor(
    private readonly registry: Registry,
    requests: Requests,
    @Inject(SETTINGS) { port, threadPoolSize }: Pick<Settings, 'port' | 'threadPoolSize'>,
  ) {
    const loop = utilisation(loopTime);
    const busy = (): number => loop() + Math.min(threadPoolSize, Math.max(0, requests.inFlight.length - 1));
    this.expose([...processors(loop), ...threadsAndFiles()]);
    this.expose(disk(), { path: PATH });
    this.expose(serverThreads(1 + threadPoolSize, busy), { name: `http-${port}` });
  }

  private expose(rows: readonly Row[], labels: Labels = {}): void {
    for (const [name, help, read] of rows)
      gauge(this.registry, { name, help, labelNames: Object.keys(labels) }, async () => {
        const value = await read();
        return value === undefined ? [] : [[labels, value]];
      });
  }
}

function processors(loop: () => number): Row[] {
  const since = 'as a share of all processors, since the last scrape.';
  const busy = 'The share of its time that the event loop was busy, since the last scrape.';
  return [
    ['process_cpu_usage', `Processor time of this process, ${since}`, utilisation(processTime)],
    ['system_cpu_usage', `Processor time of the whole machine, ${since}`, utilisation(systemTime)],
    ['system_cpu_count', 'Processors that this process may use.', () => PROCESSORS],
    ['system_load_average_1m', 'Load average of the last minute.', () => loadavg()[0]],
    ['process_uptime_seconds', 'How long the process has run.', () => process.uptime()],
    ['nodejs_eventloop_utilization', busy, loop],
  ];
}

/** Requests are served by the thread of the event loop, and by libuv's pool for what would block it. */
function serverThreads(all: number, busy: () => number): Row[] {
  const which = "the thread of the event loop and those of libuv's pool";
  const estimate = 'its utilisation, and one of the pool for every request in flight beyond the first.';
  return [
    ['tomcat_threads_config_max_threads', `Threads that may serve requests: ${which}.`, () => all],
    ['tomcat_threads_current_threads', `Threads that serve requests: ${which}.`, () => all],
    ['tomcat_threads_busy_threads', `An estimate of the busy ones of ${which}: ${estimate}`, busy],
  ];
}

/** The peak is read right after the live threads, which are counted once. */
function threadsAndFiles(): Row[] {
  if (!existsSync(THREADS)) return []; // not on Linux
  const which = 'Threads of the process, those of V8 and libuv included';
  let peak = 0;
  const live = (): number => {
    const { length } = readdirSync(THREADS);
    peak = Math.max(peak, length);
    return length;
  };
  const own = (name: string) => async (): Promise<Value> =>
    (await PROCESS_METRICS.getSingleMetric(name)?.get())?.values[0]?.value;
  return [
    ['jvm_threads_live_threads', `${which}.`, live],
    ['jvm_threads_peak_threads', `${which}: the most that a scrape has seen.`, () => peak],
    ['process_files_max_files', 'The most files that this process may have open.', own('process_max_fds')],
    ['process_files_open_files', 'Open files, sockets included.', own('process_open_fds')],
  ];
}

function disk(): Row[] {
  const bytes = (blocks: 'bavail' | 'blocks') => async (): Promise<Value> => {
    const found = await statfs(PATH).catch(() => undefined);
    return found && found[blocks] * found.bsize;
  };
  return [
    ['disk_free_bytes', 'The file system of the working directory: free bytes.', bytes('bavail')],
    ['disk_total_bytes', 'The file system of the working directory: its size.', bytes('blocks')],
  ];
}

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
