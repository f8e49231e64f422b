import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Settings } from './env.js';
import { LOGGER, type Logger } from './logger.js';

/** The settings, the logger, and the application's metrics, for every other module. */
@Global()
@Module({})
export class ConfigModule {
  static with(settings: Settings, logger: Logger, registry = new Registry()): DynamicModule {
    const providers = [
      { provide: Settings, useValue: settings },
      { provide: LOGGER, useValue: logger },
      { provide: Registry, useValue: registry },
    ];
    return { module: ConfigModule, providers, exports: providers };
  }
}
