import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LogCounts, type Logger } from './logger.js';
import { LOGGER, SETTINGS, type Settings } from './settings.js';

/** What every other module may ask for: the settings, the logger, and how much it has logged. */
@Global()
@Module({})
export class ConfigModule {
  static with(settings: Settings, logger: Logger, counts = new LogCounts()): DynamicModule {
    const providers = [
      { provide: SETTINGS, useValue: settings },
      { provide: LOGGER, useValue: logger },
      { provide: LogCounts, useValue: counts },
    ];
    return { module: ConfigModule, providers, exports: providers };
  }
}
