import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AllowAccess } from '../common/access/access.guard.js';
import { responseOf } from '../common/validation/response.js';
import { Operation } from '../openapi/operation.js';

/** Paths, not URLs: behind a proxy only the client knows scheme and host, and the Host header may say anything. */
const LINKS = {
  self: { href: '/actuator', templated: false },
  health: { href: '/actuator/health', templated: false },
  'health-path': { href: '/actuator/health/{*path}', templated: true },
  info: { href: '/actuator/info', templated: false },
  prometheus: { href: '/actuator/prometheus', templated: false },
};

const LINK = {
  type: 'object',
  properties: { href: { type: 'string' }, templated: { type: 'boolean' } },
  required: ['href', 'templated'],
};

class LinksResponse extends responseOf({
  _links: { type: 'object', additionalProperties: LINK, example: LINKS },
}) {}

@Controller('actuator')
@ApiTags('Operations')
@AllowAccess('admin')
export class LinksController {
  @Get()
  @Operation({
    id: 'getActuatorLinks',
    summary: 'Index of the actuator',
    description: 'ADMIN only.',
    success: { description: 'Links to the other operations.', type: LinksResponse },
  })
  links(): { readonly _links: typeof LINKS } {
    return { _links: LINKS };
  }
}
