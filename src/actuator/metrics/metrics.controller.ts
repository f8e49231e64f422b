import { Controller, Get, Header, Inject } from '@nestjs/common';
import { Registry } from 'prom-client';
import { AllowAccess } from '../../access/access.guard.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { expose } from './registry.js';

export const METRICS_PATH = 'actuator/prometheus';

@Controller(METRICS_PATH)
@AllowAccess('admin')
export class MetricsController {
  constructor(
    private readonly registry: Registry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'applicationName'>,
  ) {}

  @Get()
  @Header('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
  async scrape(): Promise<Buffer> {
    return Buffer.from(await expose(this.registry, this.settings.applicationName)); // a string would be made JSON
  }
}
