import { readFileSync } from 'node:fs';
import { readdir, statfs } from 'node:fs/promises';
import type { Server } from 'node:http';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Registry } from 'prom-client';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Requests } from '../../http/edge/requests.js';
import { gauge } from '../../metrics/gauge.js';
import { type BusyTime, Utilisation } from './utilisation.js';

const PROCESSORS = availableParallelism();
const PATH = process.cwd();
/** One directory for each thread, on Linux. */
const THREADS = '/proc/self/task';

/** The process and its machine. What only Linux can tell is left out elsewhere. */
@Injectable()
export class ProcessMetrics {
  private readonly eventLoop = new Utilisation(() => {
    const { active, idle } = performance.eventLoopUtilization();
    return { busy: active, total: active + idle };
  });

  constructor(
    private readonly registry: Registry,
    private readonly requests: Requests,
    private readonly adapter: HttpAdapterHost,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'port' | 'threadPoolSize'>,
  ) {
    exposeProcessors(registry);
    exposeThreads(registry);
    exposeFiles(registry);
    const disk = { labelNames: ['path'], help: 'The file system of the working directory: ' };
    gauge(registry, { ...disk, name: 'disk_free_bytes', help: `${disk.help}free bytes.` }, () =>
      bytesOf('bavail'),
    );
    gauge(registry, { ...disk, name: 'disk_total_bytes', help: `${disk.help}its size.` }, () =>
      bytesOf('blocks'),
    );
    const uptime = { name: 'process_uptime_seconds', help: 'How long the process has run.' };
    gauge(registry, uptime, () => process.uptime());
    const busy = 'The share of its time that the event loop was busy, since the last scrape.';
    gauge(registry, { name: 'nodejs_eventloop_utilization', help: busy }, () => this.eventLoop.read());
    this.exposeServerThreads();
  }

  /** Requests are served by the thread of the event loop, and by libuv's pool for what would block it. */
  private exposeServerThreads(): void {
    const { threadPoolSize } = this.settings;
    const all = (): number => 1 + threadPoolSize;
    const busy = (): number =>
      this.eventLoop.read() + Math.min(threadPoolSize, Math.max(0, this.requests.inFlight.size - 1));
    const expose = (which: string, help: string, read: () => number): void => {
      const about = { name: `tomcat_threads_${which}_threads`, help, labelNames: ['name'] };
      gauge(this.registry, about, () => [[{ name: `http-${this.port}` }, read()]]);
    };
    const threads = "the thread of the event loop and those of libuv's pool.";
    expose('config_max', `Threads that may serve requests: ${threads}`, all);
    expose('current', `Threads that serve requests: ${threads}`, all);
    const estimate = 'its utilisation, and one of the pool for every request in flight beyond the first.';
    expose('busy', `An estimate of the busy ones of ${threads.slice(0, -1)}: ${estimate}`, busy);
  }

  /** The port that was taken, when any would do. */
  private get port(): number {
    const address = (this.adapter.httpAdapter.getHttpServer() as Server).address();
    return typeof address === 'object' && address !== null ? address.port : this.settings.port;
  }
}

function exposeProcessors(registry: Registry): void {
  const [own, all] = [new Utilisation(processTime), new Utilisation(systemTime)];
  const since = 'as a share of all processors, since the last scrape.';
  const gauges: Record<string, [help: string, read: () => number | undefined]> = {
    process_cpu_usage: [`Processor time of this process, ${since}`, () => own.read()],
    system_cpu_usage: [`Processor time of the whole machine, ${since}`, () => all.read()],
    system_cpu_count: ['Processors that this process may use.', () => PROCESSORS],
    system_load_average_1m: ['Load average of the last minute.', () => loadavg()[0]],
  };
  for (const [name, [help, read]] of Object.entries(gauges)) gauge(registry, { name, help }, read);
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

function exposeThreads(registry: Registry): void {
  let peak = 0;
  const count = async (): Promise<number | undefined> => {
    const live = await entriesOf(THREADS);
    peak = Math.max(peak, live ?? 0);
    return live;
  };
  const help = 'Threads of the process, those of V8 and libuv included';
  gauge(registry, { name: 'jvm_threads_live_threads', help: `${help}.` }, count);
  const most = { name: 'jvm_threads_peak_threads', help: `${help}: the most that a scrape has seen.` };
  gauge(registry, most, async () => (await count()) && peak);
}

function exposeFiles(registry: Registry): void {
  const most = { name: 'process_files_max_files', help: 'The most files that this process may have open.' };
  const limit = maxOpenFiles();
  gauge(registry, most, () => limit);
  const open = { name: 'process_files_open_files', help: 'Open files, sockets included.' };
  gauge(registry, open, async () => {
    const files = await entriesOf('/proc/self/fd');
    return files && files - 1; // one is for the reading itself
  });
}

function maxOpenFiles(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    return soft === 'unlimited' ? Infinity : soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Undefined where there is no such directory. */
function entriesOf(directory: string): Promise<number | undefined> {
  return readdir(directory).then(
    ({ length }) => length,
    () => undefined,
  );
}

async function bytesOf(blocks: 'bavail' | 'blocks'): Promise<[{ path: string }, number][]> {
  const disk = await statfs(PATH).catch(() => undefined);
  return disk === undefined ? [] : [[{ path: PATH }, disk[blocks] * disk.bsize]];
}
