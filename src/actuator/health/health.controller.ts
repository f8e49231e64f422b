import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AllowAccess } from '../../access/access.guard.js';
import { type Caller, OptionalUser } from '../../access/caller.js';
import { Operation } from '../../openapi/operation.js';
import { type Health, HealthResponse, type Status } from './health.response.js';
import { type HealthGroup, HealthService } from './health.service.js';

/** What a probe sees; ADMIN sees the components, too. */
type HealthAnswer = { readonly status: Status } | Health | (Health & { readonly groups: readonly string[] });

const UP_OR_NOT = {
  description: 'UP.',
  type: HealthResponse,
  example: { status: 'UP' },
  also: {
    503: { description: 'DOWN, or OUT_OF_SERVICE while the process stops.', example: { status: 'DOWN' } },
  },
};

/** 200 when UP, else 503. Which check failed, and what with, is for ADMIN alone. */
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
  async all(
    @OptionalUser() caller: Caller | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HealthAnswer> {
    const answer = await this.answer('all', caller, reply);
    return 'components' in answer ? { ...answer, groups: ['liveness', 'readiness'] } : answer;
  }

  @Get('liveness')
  @Operation({
    id: 'getLiveness',
    summary: 'Liveness of the process',
    description: 'Stays UP while the database is away.',
    success: UP_OR_NOT,
  })
  async liveness(
    @OptionalUser() caller: Caller | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HealthAnswer> {
    return this.answer('liveness', caller, reply);
  }

  @Get('readiness')
  @Operation({
    id: 'getReadiness',
    summary: 'Readiness to serve requests',
    description: 'DOWN while the database is unavailable, OUT_OF_SERVICE while the process stops.',
    success: UP_OR_NOT,
  })
  async readiness(
    @OptionalUser() caller: Caller | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HealthAnswer> {
    return this.answer('readiness', caller, reply);
  }

  private async answer(
    group: HealthGroup,
    caller: Caller | null,
    reply: FastifyReply,
  ): Promise<HealthAnswer> {
    const { status, components } = await this.health.check(group);
    reply.code(status === 'UP' ? 200 : 503);
    return caller?.role === 'ADMIN' ? { status, components } : { status };
  }
}
