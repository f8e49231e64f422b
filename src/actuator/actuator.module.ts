import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { ActuatorController } from './actuator.controller.js';
import { DatabaseProbe } from './health/database.probe.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { METRICS_PATH, MetricsController } from './metrics/metrics.controller.js';
import { PROCESS_METRICS } from './metrics/process.metrics.js';
import { V8_METRICS } from './metrics/v8.metrics.js';

@Module({
  imports: [
    TerminusModule.forRoot({ logger: false }),
    PrometheusModule.register({
      path: METRICS_PATH,
      controller: MetricsController, // the package's own knows no access rules
      defaultMetrics: { enabled: false }, // one set for the process: process.metrics.ts
    }),
  ],
  controllers: [HealthController, ActuatorController],
  providers: [DatabaseProbe, HealthService, ...PROCESS_METRICS, ...V8_METRICS],
})
export class ActuatorModule {}
