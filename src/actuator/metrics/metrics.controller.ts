import { Controller, Get, Header, Inject, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { AllowAccess } from '../../access/access.guard.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Operation } from '../../openapi/operation.js';
import { expose } from './registry.js';
import { scrapeTokenMetrics } from './scrape-token.js';

export const METRICS_PATH = 'actuator/prometheus';

@Controller(METRICS_PATH)
@ApiTags('Operations')
@AllowAccess('metrics')
export class MetricsController {
  constructor(
    private readonly registry: Registry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'applicationName'>,
  ) {}

  @Get()
  @Operation({
    id: 'getMetrics',
    summary: 'Metrics for Prometheus',
    description:
      'Micrometer’s names, beside `nodejs_*` and `process_*`. For an ADMIN; and, where METRICS_TOKEN is set, for whoever ' +
      'sends it as bearer token, also while the database is away.',
    success: {
      description: 'All series, in Prometheus’s text format.',
      mediaTypes: [Registry.PROMETHEUS_CONTENT_TYPE],
    },
  })
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  async scrape(@Req() request: FastifyRequest): Promise<Buffer> {
    const registries = [this.registry, scrapeTokenMetrics(request)];
    return Buffer.from(await expose(registries, this.settings.applicationName)); // a string would be made JSON
  }
}
