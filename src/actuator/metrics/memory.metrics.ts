import { memoryUsage } from 'node:process';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { type Labels, labelledGauge } from './registry.js';

/** As of a memory pool of the JVM. */
interface MemoryPool {
  readonly labels: Labels;
  readonly used: number;
  readonly committed: number;
  readonly max: number;
}

/** What a JVM says of a pool without a limit of its own. */
const UNLIMITED = -1;

const HELP = 'V8 heap spaces, under the name that Micrometer has for pools of the JVM';

/** V8's memory. */
@Injectable()
export class MemoryMetrics {
  constructor(registry: Registry) {
    expose(registry, 'used', `${HELP}: bytes in use.`);
    expose(registry, 'committed', `${HELP}: bytes reserved.`);
    expose(registry, 'max', `${HELP}: the limit of the whole heap, at old_space; -1 for none.`);
  }
}

function expose(registry: Registry, measure: 'used' | 'committed' | 'max', help: string): void {
  const about = { name: `jvm_memory_${measure}_bytes`, help, labelNames: ['area', 'id'] };
  labelledGauge(registry, about, () => memoryPools().map((pool) => [pool.labels, pool[measure]]));
}

/** Compiled code is counted as a JVM counts it: not as heap, though V8 keeps it in spaces of its heap. */
function memoryPools(): MemoryPool[] {
  const { heap_size_limit: limit } = getHeapStatistics();
  const spaces = getHeapSpaceStatistics().map((space) => ({
    name: space.space_name,
    used: space.space_used_size,
    committed: space.space_size,
  }));
  const isCode = (space: { name: string }): boolean => space.name.startsWith('code');
  const code = spaces.filter(isCode);
  const { external } = memoryUsage();
  return [
    ...spaces
      .filter((space) => !isCode(space))
      .map(({ name, ...sizes }) => ({
        labels: { area: 'heap', id: name },
        ...sizes,
        max: name === 'old_space' ? limit : UNLIMITED,
      })),
    {
      labels: { area: 'nonheap', id: 'code' },
      used: code.reduce((sum, { used }) => sum + used, 0),
      committed: code.reduce((sum, { committed }) => sum + committed, 0),
      max: UNLIMITED,
    },
    { labels: { area: 'nonheap', id: 'external' }, used: external, committed: external, max: UNLIMITED },
  ];
}
