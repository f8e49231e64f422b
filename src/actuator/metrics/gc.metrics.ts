import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Gauge, Registry } from 'prom-client';
import { gauge, type Labels } from './registry.js';
import { exposeTimers, Timer } from './timer.js';

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

/** Where V8 puts what is new; what survives is moved on to the others. */
const YOUNG = new Set(['new_space', 'new_large_object_space', 'read_only_space']);

/**
 * The pauses of V8's garbage collector, from when the application was made, and what it leaves. What is allocated
 * between collections only `v8.GCProfiler` tells: it goes on recording after its stop, until it is collected itself,
 * which in a small heap takes hundreds of megabytes.
 */
@Injectable()
export class GarbageCollectionMetrics implements OnApplicationShutdown {
  private readonly timers = new Map<string, readonly [Labels, Timer]>();
  private readonly live: Gauge;
  private readonly observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as GcEntry[];
    for (const { detail, duration } of entries) this.timerOf(detail).record(duration / 1000);
    if (entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR))
      this.live.set(sizeOfOldGeneration());
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
    this.live = gauge(
      registry,
      'jvm_gc_live_data_size_bytes',
      "What V8's old generation held after the last major collection; 0 before the first.",
    );
    gauge(
      registry,
      'jvm_gc_max_data_size_bytes',
      "The limit of V8's heap.",
      () => getHeapStatistics().heap_size_limit,
    );
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

function sizeOfOldGeneration(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !YOUNG.has(name))
    .reduce((sum, { space_used_size: used }) => sum + used, 0);
}
