import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Availability } from './availability.js';
import { DatabaseProbe } from './health/database.probe.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { InfoController } from './info/info.controller.js';
import { LinksController } from './links.controller.js';
import { MetricsModule } from './metrics/metrics.module.js';

@Module({
  imports: [TerminusModule.forRoot({ logger: false }), MetricsModule],
  controllers: [HealthController, InfoController, LinksController],
  providers: [Availability, DatabaseProbe, HealthService],
  exports: [Availability, MetricsModule],
})
export class ActuatorModule {}
