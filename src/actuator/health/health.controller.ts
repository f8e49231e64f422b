import { applyDecorators, Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { HealthCheck } from '@nestjs/terminus';
import type { FastifyReply } from 'fastify';
import { AllowAccess } from '../../common/access/access.guard.js';
import { Operation } from '../../openapi/operation.js';
import { HealthResponse } from './health.response.js';
import { type HealthGroup, HealthService } from './health.service.js';

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
  async getHealth(@Res({ passthrough: true }) reply: FastifyReply) {
    return this.report('all', reply);
  }

  @Get('liveness')
  @Probe('Liveness of the process', 'Stays UP while the database is away.')
  async getLiveness(@Res({ passthrough: true }) reply: FastifyReply) {
    return this.report('liveness', reply);
  }

  @Get('readiness')
  @Probe(
    'Readiness to serve requests',
    'DOWN while the database is unavailable, OUT_OF_SERVICE while the process stops.',
  )
  async getReadiness(@Res({ passthrough: true }) reply: FastifyReply) {
    return this.report('readiness', reply);
  }

  /** 200 when UP, else 503. Only an ADMIN sees the components, which name the failed check. */
  private async report(group: HealthGroup, reply: FastifyReply) {
    const health = await this.health.check(group);
    void reply.code(health.status === 'UP' ? 200 : 503);
    return reply.request.caller?.role === 'ADMIN' ? health : { status: health.status };
  }
}
