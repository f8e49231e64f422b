import { arch, release, type } from 'node:os';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../../common/access/access.guard.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { responseOf } from '../../common/validation/response.js';
import { type Schema, TEXT } from '../../common/validation/schema.js';
import { Operation } from '../../openapi/operation.js';
import { readBuildInfo } from './build-info.js';

const NAME = 'property-finance-service';
const EXAMPLE = {
  app: { name: 'property-finance', description: 'An open ledger API' },
  build: { artifact: NAME, name: NAME, version: '1.0.0', time: '2026-03-01T08:00:00.000Z' },
  git: {
    branch: 'main',
    commit: { id: '4c1d2f0e9b7a6c5d8e3f1a2b4c6d8e0f1a3b5c7d', time: '2026-03-01T07:45:00.000Z' },
  },
  node: { version: 'v24.0.0' },
  os: { name: 'Linux', version: '6.1.0', arch: 'x64' },
};
const TIME = { ...TEXT, nullable: true, description: 'A date and time, unless the build knew none.' };

/** The schemas of an object's members, which are texts or objects of texts, from an example. */
function schemasIn(example: object): Record<string, Schema> {
  const schemas = Object.entries(example).map(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return [name, { ...(name === 'time' ? TIME : TEXT), examples: [value] }];
    const members = value as object;
    return [name, { type: 'object', properties: schemasIn(members), required: Object.keys(members) }];
  });
  return Object.fromEntries(schemas) as Record<string, Schema>;
}

class InfoResponse extends responseOf(schemasIn(EXAMPLE)) {}

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
