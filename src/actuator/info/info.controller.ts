import { arch, release, type } from 'node:os';
import { Controller, Get, Inject } from '@nestjs/common';
import { AllowAccess } from '../../access/access.guard.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { type BuildInfo, readBuildInfo } from './build-info.js';

interface Info {
  readonly app: { readonly name: string; readonly description: string };
  readonly build: {
    readonly artifact: string;
    readonly name: string;
    readonly version: string;
    readonly time: string | null;
  };
  readonly git: BuildInfo['git'];
  readonly node: { readonly version: string };
  readonly os: { readonly name: string; readonly version: string; readonly arch: string };
}

/** What runs here, and on what. */
@Controller('actuator/info')
@AllowAccess('admin')
export class InfoController {
  private readonly answer: Info;

  constructor(@Inject(SETTINGS) { applicationName }: Pick<Settings, 'applicationName'>) {
    const { name, version, description, time, git } = readBuildInfo();
    this.answer = {
      app: { name: applicationName, description },
      build: { artifact: name, name, version, time },
      git,
      node: { version: process.version },
      os: { name: type(), version: release(), arch: arch() },
    };
  }

  @Get()
  info(): Info {
    return this.answer;
  }
}
