import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { HttpModule } from '../http/http.module.js';
import { Availability } from './availability.js';
import { DatabaseProbe } from './health/database.probe.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { InfoController } from './info/info.controller.js';
import { LinksController } from './links.controller.js';
import { METRICS_PATH, MetricsController } from './metrics/metrics.controller.js';
import { PROCESS_METRICS } from './metrics/process.metrics.js';
import { V8_METRICS } from './metrics/v8.metrics.js';

@Module({
  imports: [
    HttpModule,
    TerminusModule.forRoot({ logger: false }),
    PrometheusModule.register({
      path: METRICS_PATH,
      controller: MetricsController, // the package's own knows no access rules
      defaultMetrics: { enabled: false }, // one set for the process: exposition.ts
    }),
  ],
  controllers: [HealthController, InfoController, LinksController],
  providers: [Availability, DatabaseProbe, HealthService, ...PROCESS_METRICS, ...V8_METRICS],
  exports: [Availability],
})
export class ActuatorModule {}
