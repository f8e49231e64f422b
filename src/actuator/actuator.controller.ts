import { arch, release, type } from 'node:os';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../common/access/access.guard.js';
import { readBuildInfo } from '../config/build-info.js';
import { Settings } from '../config/env.js';
import { responseOf } from '../common/validation/fields.js';
import { BOOLEAN, type Schema, TEXT } from '../common/validation/schema.js';
import { Operation } from '../openapi/operation.js';

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

/** Paths, not URLs: behind a proxy only the client knows scheme and host, and the Host header may say anything. */
const LINKS = {
  self: { href: '/actuator', templated: false },
  health: { href: '/actuator/health', templated: false },
  'health-path': { href: '/actuator/health/{*path}', templated: true },
  info: { href: '/actuator/info', templated: false },
  prometheus: { href: '/actuator/prometheus', templated: false },
};

const PARTS = { href: TEXT, templated: BOOLEAN };
const LINK = { type: 'object', properties: PARTS, required: Object.keys(PARTS) };

class LinksResponse extends responseOf({
  _links: { type: 'object', additionalProperties: LINK, example: LINKS },
}) {}

@Controller('actuator')
@ApiTags('Operations')
@AllowAccess('admin')
export class ActuatorController {
  private readonly build = readBuildInfo();

  constructor(private readonly settings: Settings) {}

  @Get('info')
  @Operation({
    summary: 'Build information',
    description: 'ADMIN only.',
    success: { description: 'The build that is running, and its platform.', type: InfoResponse },
  })
  getInfo(): InfoResponse {
    const { name, version, description, time, git } = this.build;
    return {
      app: { name: this.settings.applicationName, description },
      build: { artifact: name, name, version, time },
      git,
      node: { version: process.version },
      os: { name: type(), version: release(), arch: arch() },
    };
  }

  @Get()
  @Operation({
    summary: 'Index of the actuator',
    description: 'ADMIN only.',
    success: { description: 'Links to the other operations.', type: LinksResponse },
  })
  getActuatorLinks(): { readonly _links: typeof LINKS } {
    return { _links: LINKS };
  }
}
