import { Controller, Get, Header } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Registry } from 'prom-client';
import { AllowAccess } from '../../common/access/access.guard.js';
import { Settings } from '../../config/env.js';
import { Operation } from '../../openapi/operation.js';
import { DEFAULT_METRICS } from './process.metrics.js';

export const METRICS_PATH = 'actuator/prometheus';

@Controller(METRICS_PATH)
@ApiTags('Operations')
@AllowAccess('metrics')
export class MetricsController {
  constructor(
    private readonly registry: Registry,
    private readonly settings: Settings,
  ) {}

  @Get()
  @Operation({
    summary: 'Metrics for Prometheus',
    description:
      'Micrometer’s names, beside `nodejs_*` and `process_*`. For an ADMIN; and, where METRICS_TOKEN is set, for a ' +
      'client that sends it as bearer token, also while the database is away.',
    success: {
      description: 'All series, in Prometheus’s text format.',
      mediaTypes: [Registry.PROMETHEUS_CONTENT_TYPE],
    },
  })
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  async getMetrics(): Promise<Buffer> {
    const all = Registry.merge([this.registry, DEFAULT_METRICS]);
    all.setDefaultLabels({ application: this.settings.applicationName });
    return Buffer.from(await all.metrics()); // a string would be made JSON
  }
}
