import { createRequire } from 'node:module';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { memoryUsage, version } from 'node:process';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { gaugeProvider, timerProviders } from '../../common/metrics/providers.js';
import { type Labels, Timer, type TimerReading } from '../../common/metrics/timer.js';

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

@Injectable()
export class GarbageCollections implements OnApplicationShutdown {
  private readonly observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as Collection[])
      this.timerOf(detail).record(duration / 1000);
  });
  private readonly pauses = new Map<string, readonly [Labels, Timer]>();

  constructor() {
    for (const kind of [constants.NODE_PERFORMANCE_GC_MINOR, constants.NODE_PERFORMANCE_GC_MAJOR])
      this.timerOf({ kind, flags: 0 }); // so that a rate can be taken of the first one, too
    this.observer.observe({ entryTypes: ['gc'] });
  }

  onApplicationShutdown(): void {
    this.observer.disconnect();
  }

  get readings(): Iterable<TimerReading> {
    return this.pauses.values();
  }

  private timerOf(detail: GcDetail): Timer {
    const labels = labelsOf(detail);
    const key = Object.values(labels).join();
    const [, timer] = this.pauses.get(key) ?? [labels, new Timer()];
    this.pauses.set(key, [labels, timer]);
    return timer;
  }
}

function labelsOf({ kind, flags }: GcDetail) {
  const { action, gc } = KINDS.get(kind) ?? { action: MAJOR, gc: 'other' };
  const cause = CAUSES.find(([flag]) => (flags & flag) !== 0)?.[1] ?? 'regular';
  return { action, cause, gc };
}

const UNLIMITED = -1; // a JVM's word for a pool without a limit of its own

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

const POOLS = "V8's heap spaces, under Micrometer's name for memory pools of a JVM";
const MEASURES = [
  ['used', 'bytes in use'],
  ['committed', 'bytes reserved'],
  ['max', 'the limit of the whole heap, at old_space; -1 for none'],
] as const;
const RELEASE = { version, vendor: 'V8', runtime: 'Node.js' };

/** V8's memory and its garbage collector, under the names that dashboards have for a JVM's. */
export const V8_METRICS: Provider[] = [
  GarbageCollections,
  ...timerProviders({
    name: 'jvm_gc_pause_seconds',
    help: "Pauses of V8's garbage collector, under Micrometer's name.",
    labelNames: ['action', 'cause', 'gc'],
    inject: [GarbageCollections],
    read: ({ readings }: GarbageCollections) => readings,
  }),
  ...MEASURES.map(([measure, meaning]) =>
    gaugeProvider({
      name: `jvm_memory_${measure}_bytes`,
      help: `${POOLS}: ${meaning}.`,
      labelNames: ['area', 'id'],
      read: () => memoryPools().map(({ area, id, [measure]: size }) => [{ area, id }, size] as const),
    }),
  ),
  gaugeProvider({
    name: 'jvm_info',
    help: 'The version of Node.js, where dashboards look for that of a JVM.',
    labelNames: Object.keys(RELEASE),
    read: () => [[RELEASE, 1]],
  }),
  gaugeProvider({
    name: 'jvm_classes_loaded_classes',
    help: 'Loaded CommonJS modules; dashboards take their choices of instances from this name.',
    read: () => Object.keys(LOADED).length,
  }),
];
