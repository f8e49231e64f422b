import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AllowAccess } from '../../access/access.guard.js';
import { type Caller, OptionalCaller } from '../../access/caller.js';
import type { Health, Status } from './health.js';
import { type HealthGroup, HealthService } from './health.service.js';

/** What a probe sees; ADMIN sees the components, too. */
type HealthAnswer = { readonly status: Status } | Health | (Health & { readonly groups: readonly string[] });

/** 200 when UP, else 503. Which check failed, and what with, is for ADMIN alone. */
@Controller('actuator/health')
@AllowAccess('public')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  async all(
    @OptionalCaller() caller: Caller | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HealthAnswer> {
    const answer = await this.answer('all', caller, reply);
    return 'components' in answer ? { ...answer, groups: ['liveness', 'readiness'] } : answer;
  }

  @Get('liveness')
  async liveness(
    @OptionalCaller() caller: Caller | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HealthAnswer> {
    return this.answer('liveness', caller, reply);
  }

  @Get('readiness')
  async readiness(
    @OptionalCaller() caller: Caller | null,
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
