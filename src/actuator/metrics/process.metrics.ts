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
/** Metric → the member of statfs, and its meaning. */
const DISK = { free: ['bavail', 'free bytes'], total: ['blocks', 'its size'] } as const;

type Reading = number | undefined | Promise<number | undefined>;

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
    for (const [name, [help, read]] of Object.entries(this.gauges())) gauge(registry, { name, help }, read);
    for (const [which, [blocks, what]] of Object.entries(DISK)) {
      const help = `The file system of the working directory: ${what}.`;
      const about = { name: `disk_${which}_bytes`, help, labelNames: ['path'] };
      gauge(registry, about, () => bytesOf(blocks));
    }
    this.exposeServerThreads();
  }

  private gauges(): Readonly<Record<string, readonly [help: string, read: () => Reading]>> {
    const [own, all] = [new Utilisation(processTime), new Utilisation(systemTime)];
    const since = 'as a share of all processors, since the last scrape.';
    const threads = 'Threads of the process, those of V8 and libuv included';
    let peak = 0;
    const countThreads = async (): Promise<number | undefined> => {
      const live = await entriesOf(THREADS);
      peak = Math.max(peak, live ?? 0);
      return live;
    };
    const openFiles = async (): Promise<number | undefined> => {
      const files = await entriesOf('/proc/self/fd');
      return files && files - 1; // one is for the reading itself
    };
    const limit = maxOpenFiles();
    const busy = 'The share of its time that the event loop was busy, since the last scrape.';
    return {
      process_cpu_usage: [`Processor time of this process, ${since}`, () => own.read()],
      system_cpu_usage: [`Processor time of the whole machine, ${since}`, () => all.read()],
      system_cpu_count: ['Processors that this process may use.', () => PROCESSORS],
      system_load_average_1m: ['Load average of the last minute.', () => loadavg()[0]],
      process_uptime_seconds: ['How long the process has run.', () => process.uptime()],
      nodejs_eventloop_utilization: [busy, () => this.eventLoop.read()],
      jvm_threads_live_threads: [`${threads}.`, countThreads],
      jvm_threads_peak_threads: [
        `${threads}: the most that a scrape has seen.`,
        async () => (await countThreads()) && peak,
      ],
      process_files_max_files: ['The most files that this process may have open.', () => limit],
      process_files_open_files: ['Open files, sockets included.', openFiles],
    };
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
