import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HttpModule } from '../http/http.module.js';
import { Availability } from './availability.js';
import { DatabaseProbe } from './health/database.probe.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { InfoController } from './info/info.controller.js';
import { LinksController } from './links.controller.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { ProcessMetrics } from './metrics/process.metrics.js';
import { V8Metrics } from './metrics/v8.metrics.js';

@Module({
  imports: [HttpModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, InfoController, LinksController, MetricsController],
  providers: [Availability, DatabaseProbe, HealthService, ProcessMetrics, V8Metrics],
  exports: [Availability],
})
export class ActuatorModule {}
