import { Module, type OnModuleInit } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { Registry } from 'prom-client';
import { GarbageCollectionMetrics } from './gc.metrics.js';
import { HttpMetrics } from './http.metrics.js';
import { LogMetrics } from './log.metrics.js';
import { MemoryMetrics } from './memory.metrics.js';
import { METRICS_PATH, MetricsController } from './metrics.controller.js';
import { PoolMetrics } from './pool.metrics.js';
import { dropMisnamedGauges, keepEventLoopLag, PROCESS_METRICS } from './registry.js';
import { RuntimeMetrics } from './runtime.metrics.js';
import { SystemMetrics } from './system.metrics.js';
import { ThreadMetrics } from './thread.metrics.js';

/** Each application has a registry of its own. */
@Module({
  providers: [{ provide: Registry, useFactory: () => new Registry() }],
  exports: [Registry],
})
class RegistryModule {}

let applications = 0;

function isFirstApplication(): boolean {
  return applications++ === 0;
}

@Module({
  imports: [
    RegistryModule,
    PrometheusModule.registerAsync({
      imports: [RegistryModule],
      controller: MetricsController,
      useFactory: () => ({
        path: METRICS_PATH,
        defaultMetrics: { enabled: isFirstApplication(), config: { register: PROCESS_METRICS } },
      }),
    }),
  ],
  providers: [
    HttpMetrics,
    LogMetrics,
    PoolMetrics,
    MemoryMetrics,
    GarbageCollectionMetrics,
    RuntimeMetrics,
    ThreadMetrics,
    SystemMetrics,
  ],
  exports: [HttpMetrics, RegistryModule],
})
export class MetricsModule implements OnModuleInit {
  onModuleInit(): void {
    dropMisnamedGauges();
    keepEventLoopLag();
  }
}
