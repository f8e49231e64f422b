import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Registry } from 'prom-client';
import { exposeTimers, type Labels, Timer } from './timer.js';

const MINOR = 'end of minor GC';
const MAJOR = 'end of major GC';

/** Kind, as Node numbers it → what Micrometer calls the action, and the collector by V8's name. */
const KINDS: ReadonlyMap<number, { action: string; gc: string }> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, { action: MINOR, gc: 'Scavenge' }],
  [constants.NODE_PERFORMANCE_GC_MAJOR, { action: MAJOR, gc: 'Mark-Compact' }],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, { action: MAJOR, gc: 'Incremental Marking' }],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, { action: MAJOR, gc: 'Weak Callbacks' }],
]);

const REGULAR = 'regular';
/** Flag → cause; the first that is set is told. */
const CAUSES: readonly (readonly [number, string])[] = [
  [constants.NODE_PERFORMANCE_GC_FLAGS_FORCED, 'forced'],
  [constants.NODE_PERFORMANCE_GC_FLAGS_ALL_EXTERNAL_MEMORY, 'external memory'],
  [constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE, 'all available garbage'],
  [constants.NODE_PERFORMANCE_GC_FLAGS_SCHEDULE_IDLE, 'idle'],
];

interface GcDetail {
  readonly kind: number;
  readonly flags: number;
}

interface GcEntry extends PerformanceEntry {
  readonly detail: GcDetail;
}

/** The pauses of V8's garbage collector, from when the application was made. */
@Injectable()
export class GarbageCollectionMetrics implements OnApplicationShutdown {
  private readonly timers = new Map<string, readonly [Labels, Timer]>();
  private readonly observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as GcEntry[])
      this.timerOf(detail).record(duration / 1000);
  });

  constructor(registry: Registry) {
    for (const kind of [constants.NODE_PERFORMANCE_GC_MINOR, constants.NODE_PERFORMANCE_GC_MAJOR])
      this.timerOf({ kind, flags: 0 }); // so that a rate can be taken of the first one, too
    exposeTimers(registry, {
      name: 'jvm_gc_pause_seconds',
      help: "Pauses of V8's garbage collector, under Micrometer's name.",
      labelNames: ['action', 'cause', 'gc'],
      read: () => this.timers.values(),
    });
    this.observer.observe({ entryTypes: ['gc'] });
  }

  onApplicationShutdown(): void {
    this.observer.disconnect();
  }

  private timerOf({ kind, flags }: GcDetail): Timer {
    const { action, gc } = KINDS.get(kind) ?? { action: MAJOR, gc: 'other' };
    const cause = CAUSES.find(([flag]) => (flags & flag) !== 0)?.[1] ?? REGULAR;
    const key = `${gc} ${cause}`;
    const [, timer] = this.timers.get(key) ?? [undefined, new Timer()];
    this.timers.set(key, [{ action, cause, gc }, timer]);
    return timer;
  }
}
