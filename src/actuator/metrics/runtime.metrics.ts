import { createRequire } from 'node:module';
import { memoryUsage, version } from 'node:process';
import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { readBuildInfo } from '../info/build-info.js';
import { gauge, labelledGauge } from './registry.js';

/** The modules that are loaded, by the paths of their files. */
const { cache: LOADED } = createRequire(import.meta.url);
/** What Java calls the buffers that lie outside of its heap. */
const DIRECT = { id: 'direct' } as const;

/** What runs: the build, Node, and of Java's runtime that which Node has something of, under Micrometer's names. */
@Injectable()
export class RuntimeMetrics {
  constructor(registry: Registry) {
    exposeVersions(registry);
    gauge(
      registry,
      'jvm_classes_loaded_classes',
      'CommonJS modules that are loaded, where a JVM has classes; of ECMAScript modules Node keeps no count.',
      () => Object.keys(LOADED).length,
    );
    exposeBuffers(registry, 'memory_used', 'in use');
    exposeBuffers(registry, 'total_capacity', 'reserved, which are as many');
  }
}

function exposeVersions(registry: Registry): void {
  const about = { registers: [registry] };
  const { version: release, git } = readBuildInfo();
  new Gauge({
    ...about,
    name: 'application_build_info',
    help: 'The build that runs: its version, and the commit that it was made of.',
    labelNames: ['version', 'revision'],
  }).set({ version: release, revision: git.commit.id }, 1);
  new Gauge({
    ...about,
    name: 'jvm_info',
    help: 'The version of Node.js, where dashboards look for the one of a JVM.',
    labelNames: ['version', 'vendor', 'runtime'],
  }).set({ version, vendor: 'V8', runtime: 'Node.js' }, 1);
}

function exposeBuffers(registry: Registry, measure: string, what: string): void {
  const name = `jvm_buffer_${measure}_bytes`;
  const help = `Bytes of Buffers and ArrayBuffers, which lie outside of V8's heap: ${what}.`;
  labelledGauge(registry, { name, help, labelNames: ['id'] }, () => [[DIRECT, memoryUsage().arrayBuffers]]);
}
