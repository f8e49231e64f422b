import { PerformanceObserver } from 'node:perf_hooks';
import { GCProfiler, getHeapStatistics } from 'node:v8';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, type Gauge, Registry } from 'prom-client';
import { gauge } from './registry.js';

type Collection = ReturnType<GCProfiler['stop']>['statistics'][number];
type Heap = Collection['afterGC'];

/** Where V8 puts what is new; what survives is moved on to the others. */
const YOUNG = new Set(['new_space', 'new_large_object_space', 'read_only_space']);

/** What the heap held before and after each collection: how much was allocated, was promoted and is there to stay. */
@Injectable()
export class AllocationMetrics implements OnApplicationShutdown {
  private readonly allocated: Counter;
  private readonly promoted: Counter;
  private readonly live: Gauge;
  private profiler = startedProfiler();
  private usedAfterLast = getHeapStatistics().used_heap_size;
  // At every collection, because until it is stopped the profiler keeps all that it has seen.
  private readonly observer = new PerformanceObserver(() => this.readProfiler());

  constructor(registry: Registry) {
    const counter = (name: string, help: string): Counter =>
      new Counter({ name, help, registers: [registry] });
    this.allocated = counter(
      'jvm_gc_memory_allocated_bytes_total',
      "Bytes that were allocated on V8's heap, as of the last collection.",
    );
    this.promoted = counter(
      'jvm_gc_memory_promoted_bytes_total',
      "By how much collections have let V8's old generation grow.",
    );
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
    this.profiler.stop();
  }

  private readProfiler(): void {
    const last = this.profiler;
    this.profiler = startedProfiler(); // before the last one stops, so that none comes between them
    for (const collection of last.stop().statistics) this.count(collection);
  }

  private count({ gcType, beforeGC, afterGC }: Collection): void {
    const allocated = beforeGC.heapStatistics.usedHeapSize - this.usedAfterLast;
    this.allocated.inc(Math.max(0, allocated));
    this.promoted.inc(Math.max(0, oldGeneration(afterGC) - oldGeneration(beforeGC)));
    this.usedAfterLast = afterGC.heapStatistics.usedHeapSize;
    if (gcType.startsWith('Mark')) this.live.set(oldGeneration(afterGC));
  }
}

function startedProfiler(): GCProfiler {
  const profiler = new GCProfiler();
  profiler.start();
  return profiler;
}

function oldGeneration({ heapSpaceStatistics }: Heap): number {
  return heapSpaceStatistics
    .filter(({ spaceName }) => !YOUNG.has(spaceName))
    .reduce((sum, { spaceUsedSize }) => sum + spaceUsedSize, 0);
}
