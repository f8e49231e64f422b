import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Registry } from 'prom-client';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { HttpMetrics } from './http.metrics.js';
import { gauge, labelledGauge } from './registry.js';
import { Utilisation } from './utilisation.js';

/** One directory per thread, on Linux. */
const TASKS = '/proc/self/task';
/** Linux' letter → Java's word. A thread that sleeps waits for work, for a lock or for a timer: Linux does not say. */
const STATES: Readonly<Record<string, string>> = { R: 'runnable', S: 'waiting', D: 'blocked' };

/**
 * Node's threads under the names that dashboards have for Java's. Requests are served by the thread of the event
 * loop, and by libuv's pool for what would block it.
 */
@Injectable()
export class ThreadMetrics {
  private readonly eventLoop = new Utilisation(() => {
    const { active, idle } = performance.eventLoopUtilization();
    return { busy: active, total: active + idle };
  });

  constructor(
    private readonly registry: Registry,
    private readonly http: HttpMetrics,
    private readonly adapter: HttpAdapterHost,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'port' | 'threadPoolSize'>,
  ) {
    gauge(
      registry,
      'nodejs_eventloop_utilization',
      'The share of its time that the event loop was busy, since the last scrape.',
      () => this.eventLoop.read(),
    );
    if (existsSync(TASKS)) {
      exposeLiveThreads(registry);
      exposeThreadStates(registry);
    }
    const serving = 'that serve requests: the one of the event loop and those of the pool of libuv.';
    this.exposeServerThreads('config_max', `The most threads ${serving}`);
    this.exposeServerThreads('current', `Threads ${serving} They live as long as the process.`);
    this.exposeServerThreads(
      'busy',
      'The event loop by its utilisation, and a thread of the pool for every request in flight beyond the first.',
      () => this.eventLoop.read() + Math.min(settings.threadPoolSize, Math.max(0, this.http.active - 1)),
    );
  }

  private exposeServerThreads(
    which: string,
    help: string,
    read: () => number = () => 1 + this.settings.threadPoolSize,
  ): void {
    const about = { name: `tomcat_threads_${which}_threads`, help, labelNames: ['name'] };
    labelledGauge(this.registry, about, () => [[{ name: `http-${this.port}` }, read()]]);
  }

  /** The port that was taken, when any would do. */
  private get port(): number {
    const address = (this.adapter.httpAdapter.getHttpServer() as Server).address();
    return typeof address === 'object' && address !== null ? address.port : this.settings.port;
  }
}

function exposeLiveThreads(registry: Registry): void {
  let peak = 0;
  const count = async (): Promise<number | undefined> => {
    const threads = await readdir(TASKS).catch(() => undefined);
    if (threads === undefined) return undefined;
    peak = Math.max(peak, threads.length);
    return threads.length;
  };
  const others = async (): Promise<number | undefined> => {
    const threads = await count();
    return threads && threads - 1;
  };
  const all = 'Threads of the process, those of V8 and libuv included';
  gauge(registry, 'jvm_threads_live_threads', `${all}.`, count);
  gauge(registry, 'jvm_threads_peak_threads', `${all}: the most that a scrape has seen.`, async () => {
    await count();
    return peak;
  });
  gauge(
    registry,
    'jvm_threads_daemon_threads',
    'Threads that do not keep the process alive: all but the one of the event loop.',
    others,
  );
}

function exposeThreadStates(registry: Registry): void {
  const name = 'jvm_threads_states_threads';
  const help =
    'Threads of the process by what Linux says of them: running or about to, asleep, waiting for a disk.';
  labelledGauge(registry, { name, help, labelNames: ['state'] }, async () => {
    const states = await threadStates();
    return Object.values(STATES).map((state) => [{ state }, states.filter((one) => one === state).length]);
  });
}

/** A thread that has ended meanwhile has none. */
async function threadStates(): Promise<(string | undefined)[]> {
  const threads = await readdir(TASKS).catch(() => []);
  return Promise.all(
    threads.map(async (thread) => {
      const stat = await readFile(`${TASKS}/${thread}/stat`, 'utf8').catch(() => '');
      return STATES[/\) (\w) /.exec(stat)?.[1] ?? ''];
    }),
  );
}
