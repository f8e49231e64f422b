import { Controller, Get } from '@nestjs/common';
import { AllowAccess } from '../access/access.guard.js';

interface Link {
  readonly href: string;
  readonly templated: boolean;
}

/** Paths, not URLs: behind a proxy only the client knows scheme and host, and the Host header may say anything. */
const LINKS: Readonly<Record<string, Link>> = {
  self: { href: '/actuator', templated: false },
  health: { href: '/actuator/health', templated: false },
  'health-path': { href: '/actuator/health/{*path}', templated: true },
  info: { href: '/actuator/info', templated: false },
  prometheus: { href: '/actuator/prometheus', templated: false },
};

@Controller('actuator')
@AllowAccess('admin')
export class LinksController {
  @Get()
  links(): { _links: typeof LINKS } {
    return { _links: LINKS };
  }
}
