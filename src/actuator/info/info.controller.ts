import { arch, release, type } from 'node:os';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../../access/access.guard.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Operation } from '../../openapi/operation.js';
import { readBuildInfo } from './build-info.js';
import { InfoResponse } from './info.response.js';

/** The build that is running, and its platform. */
@Controller('actuator/info')
@ApiTags('Operations')
@AllowAccess('admin')
export class InfoController {
  private readonly facts: InfoResponse;

  constructor(@Inject(SETTINGS) { applicationName }: Pick<Settings, 'applicationName'>) {
    const { name, version, description, time, git } = readBuildInfo();
    this.facts = {
      app: { name: applicationName, description },
      build: { artifact: name, name, version, time },
      git,
      node: { version: process.version },
      os: { name: type(), version: release(), arch: arch() },
    };
  }

  @Get()
  @Operation({
    id: 'getInfo',
    summary: 'Build information',
    description: 'ADMIN only.',
    success: { description: 'The build that is running, and its platform.', type: InfoResponse },
  })
  info(): InfoResponse {
    return this.facts;
  }
}
