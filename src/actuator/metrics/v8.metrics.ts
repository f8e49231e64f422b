import { createRequire } from 'node:module';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { memoryUsage, version } from 'node:process';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Registry } from 'prom-client';
import { gauge, type Labels } from '../../metrics/gauge.js';
import { exposeTimers, Timer } from '../../metrics/timer.js';

/** The modules that are loaded, by the paths of their files. */
const { cache: LOADED } = createRequire(import.meta.url);

const MINOR = 'end of minor GC';
const MAJOR = 'end of major GC';
/** Kind, as Node numbers it → Micrometer's name of the action, and V8's of the collector. */
const KINDS: ReadonlyMap<number, { action: string; gc: string }> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, { action: MINOR, gc: 'Scavenge' }],
  [constants.NODE_PERFORMANCE_GC_MAJOR, { action: MAJOR, gc: 'Mark-Compact' }],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, { action: MAJOR, gc: 'Incremental Marking' }],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, { action: MAJOR, gc: 'Weak Callbacks' }],
]);
/** Flag → cause, the most telling first. */
const CAUSES: readonly (readonly [number, string])[] = [
  [constants.NODE_PERFORMANCE_GC_FLAGS_FORCED, 'forced'],
  [constants.NODE_PERFORMANCE_GC_FLAGS_ALL_EXTERNAL_MEMORY, 'external memory'],
  [constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE, 'all available garbage'],
  [constants.NODE_PERFORMANCE_GC_FLAGS_SCHEDULE_IDLE, 'idle'],
];

type GcDetail = Readonly<Record<'kind' | 'flags', number>>;
type Collection = PerformanceEntry & { readonly detail: GcDetail };

/** V8's memory and its garbage collector, under the names that dashboards have for a JVM's. */
@Injectable()
export class V8Metrics implements OnApplicationShutdown {
  private readonly pauses = new Map<string, readonly [Labels, Timer]>();
  private readonly collections = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as Collection[])
      this.timerOf(detail).record(duration / 1000);
  });

  constructor(registry: Registry) {
    exposeMemory(registry);
    for (const kind of [constants.NODE_PERFORMANCE_GC_MINOR, constants.NODE_PERFORMANCE_GC_MAJOR])
      this.timerOf({ kind, flags: 0 }); // so that a rate can be taken of the first one, too
    const help = "Pauses of V8's garbage collector, under Micrometer's name.";
    const pause = { name: 'jvm_gc_pause_seconds', help, labelNames: ['action', 'cause', 'gc'] };
    exposeTimers(registry, pause, () => this.pauses.values());
    this.collections.observe({ entryTypes: ['gc'] });
    exposeRuntime(registry);
  }

  onApplicationShutdown(): void {
    this.collections.disconnect();
  }

  private timerOf({ kind, flags }: GcDetail): Timer {
    const { action, gc } = KINDS.get(kind) ?? { action: MAJOR, gc: 'other' };
    const cause = CAUSES.find(([flag]) => (flags & flag) !== 0)?.[1] ?? 'regular';
    const key = `${gc} ${cause}`;
    const [, timer] = this.pauses.get(key) ?? [undefined, new Timer()];
    this.pauses.set(key, [{ action, cause, gc }, timer]);
    return timer;
  }
}

function exposeRuntime(registry: Registry): void {
  const release = { version, vendor: 'V8', runtime: 'Node.js' };
  const help = 'The version of Node.js, where dashboards look for that of a JVM.';
  gauge(registry, { name: 'jvm_info', help, labelNames: Object.keys(release) }, () => [[release, 1]]);
  const loaded = 'Loaded CommonJS modules; dashboards take their choices of instances from this name.';
  gauge(registry, { name: 'jvm_classes_loaded_classes', help: loaded }, () => Object.keys(LOADED).length);
}

/** A JVM's word for a pool without a limit of its own. */
const UNLIMITED = -1;

function exposeMemory(registry: Registry): void {
  const pools = "V8's heap spaces, under Micrometer's name for memory pools of a JVM";
  for (const [measure, meaning] of [
    ['used', 'bytes in use'],
    ['committed', 'bytes reserved'],
    ['max', 'the limit of the whole heap, at old_space; -1 for none'],
  ] as const) {
    const name = `jvm_memory_${measure}_bytes`;
    gauge(registry, { name, help: `${pools}: ${meaning}.`, labelNames: ['area', 'id'] }, () =>
      memoryPools().map(({ area, id, [measure]: size }) => [{ area, id }, size]),
    );
  }
}

/** Compiled code is counted as a JVM counts it: not as heap, though V8 keeps it in spaces of its heap. */
function memoryPools() {
  const { heap_size_limit: limit } = getHeapStatistics();
  const { external } = memoryUsage();
  const code = { area: 'nonheap', id: 'code', used: 0, committed: 0, max: UNLIMITED };
  const pools = [code, { ...code, id: 'external', used: external, committed: external }];
  for (const { space_name: id, space_used_size: used, space_size: committed } of getHeapSpaceStatistics()) {
    if (id.startsWith('code')) {
      code.used += used;
      code.committed += committed;
    } else pools.push({ area: 'heap', id, used, committed, max: id === 'old_space' ? limit : UNLIMITED });
  }
  return pools;
}
