import { applyDecorators, Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HealthCheck } from '@nestjs/terminus';
import { AllowAccess } from '../../common/access/access.guard.js';
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

const Probe = (summary: string, description: string): MethodDecorator =>
  applyDecorators(
    HealthCheck({ noCache: false, swaggerDocumentation: false }), // headers and document are those of all operations
    Operation({ summary, description, success: UP_OR_NOT }),
  );

@Controller('actuator/health')
@ApiTags('Operations')
@AllowAccess('public')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @Probe('Aggregate health', 'Only `status`; an ADMIN also sees the components.')
  async getHealth(): Promise<HealthReport> {
    return this.health.check('all');
  }

  @Get('liveness')
  @Probe('Liveness of the process', 'Stays UP while the database is away.')
  async getLiveness(): Promise<HealthReport> {
    return this.health.check('liveness');
  }

  @Get('readiness')
  @Probe(
    'Readiness to serve requests',
    'DOWN while the database is unavailable, OUT_OF_SERVICE while the process stops.',
  )
  async getReadiness(): Promise<HealthReport> {
    return this.health.check('readiness');
  }
}
