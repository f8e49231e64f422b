import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../../access/access.guard.js';
import { Operation } from '../../openapi/operation.js';
import { type HealthReport, HealthResponse } from './health.response.js';
import { HealthService } from './health.service.js';

const UP_OR_NOT = {
  description: 'UP.',
  type: HealthResponse,
  example: { status: 'UP' },
  also: {
    503: { description: 'DOWN, or OUT_OF_SERVICE while the process stops.', example: { status: 'DOWN' } },
  },
};

@Controller('actuator/health')
@ApiTags('Operations')
@AllowAccess('public')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Operation({
    id: 'getHealth',
    summary: 'Aggregate health',
    description: 'Only `status`; an ADMIN also sees the components.',
    success: UP_OR_NOT,
  })
  async all(): Promise<HealthReport> {
    return this.health.check('all');
  }

  @Get('liveness')
  @Operation({
    id: 'getLiveness',
    summary: 'Liveness of the process',
    description: 'Stays UP while the database is away.',
    success: UP_OR_NOT,
  })
  async liveness(): Promise<HealthReport> {
    return this.health.check('liveness');
  }

  @Get('readiness')
  @Operation({
    id: 'getReadiness',
    summary: 'Readiness to serve requests',
    description: 'DOWN while the database is unavailable, OUT_OF_SERVICE while the process stops.',
    success: UP_OR_NOT,
  })
  async readiness(): Promise<HealthReport> {
    return this.health.check('readiness');
  }
}
