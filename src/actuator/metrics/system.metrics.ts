import { readFileSync, type StatsFs } from 'node:fs';
import { readdir, statfs } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { gauge, labelledGauge, untyped } from './registry.js';
import { type BusyTime, Utilisation } from './utilisation.js';

const PROCESSORS = availableParallelism();

/** The machine and the process on it. What only Linux can tell is left out elsewhere. */
@Injectable()
export class SystemMetrics {
  constructor(registry: Registry) {
    exposeProcessors(registry);
    exposeFiles(registry);
    exposeDisk(registry, process.cwd());
    gauge(registry, 'process_uptime_seconds', 'How long the process has run.', () => process.uptime());
    gauge(
      registry,
      'system_clock_seconds',
      'The time of day by the clock of this process, in seconds since 1970.',
      () => Date.now() / 1000,
    );
  }
}

function exposeProcessors(registry: Registry): void {
  const own = new Utilisation(processTime);
  const all = new Utilisation(systemTime);
  const since = 'as a share of all processors, since the last scrape.';
  gauge(registry, 'process_cpu_usage', `Processor time of this process, ${since}`, () => own.read());
  gauge(registry, 'system_cpu_usage', `Processor time of the whole machine, ${since}`, () => all.read());
  untyped(registry, 'system_cpu_count', 'Processors that this process may use.', () => PROCESSORS);
  gauge(registry, 'system_load_average_1m', 'Load average of the last minute.', () => loadavg()[0]);
}

function processTime(): BusyTime {
  const { user, system } = process.cpuUsage();
  return { busy: (user + system) / 1000, total: performance.now() * PROCESSORS };
}

function systemTime(): BusyTime {
  let idle = 0;
  let total = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.idle + times.user + times.nice + times.sys + times.irq;
  }
  return { busy: total - idle, total };
}

function exposeFiles(registry: Registry): void {
  const max = maxOpenFiles();
  if (max === undefined) return;
  gauge(registry, 'process_files_max_files', 'The most files that this process may have open.', () => max);
  gauge(registry, 'process_files_open_files', 'Open files, sockets included.', async () => {
    const names = await readdir('/proc/self/fd').catch(() => undefined);
    return names && names.length - 1; // one is for the reading itself
  });
}

function maxOpenFiles(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    if (soft === undefined) return undefined;
    return soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return undefined;
  }
}

function exposeDisk(registry: Registry, path: string): void {
  const measure = (name: string, help: string, blocks: (disk: StatsFs) => number): void =>
    labelledGauge(registry, { name, help, labelNames: ['path'] }, async () => {
      const disk = await statfs(path).catch(() => undefined);
      return disk === undefined ? [] : [[{ path }, blocks(disk) * disk.bsize]];
    });
  measure(
    'disk_free_bytes',
    'Space that this process may still use, on the file system of its working directory.',
    ({ bavail }) => bavail,
  );
  measure('disk_total_bytes', 'Size of the file system of the working directory.', ({ blocks }) => blocks);
}
