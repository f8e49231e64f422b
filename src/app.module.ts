import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AccessGuard } from './access/access.guard.js';
import { ActuatorModule } from './actuator/actuator.module.js';
import { AuthModule } from './auth/auth.module.js';
import type { Logger } from './config/logger.js';
import { LOGGER, SETTINGS, type Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { ProblemFilter } from './http/problem/problem.filter.js';
import { ValidationPipe } from './http/fields/validation.pipe.js';
import { PropertiesModule } from './properties/properties.module.js';
import { TransactionsModule } from './transactions/transactions.module.js';
import { UsersModule } from './users/users.module.js';

@Global()
@Module({})
class ConfigModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    const providers = [
      { provide: SETTINGS, useValue: settings },
      { provide: LOGGER, useValue: logger },
    ];
    return { module: ConfigModule, providers, exports: providers };
  }
}

@Module({})
export class AppModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(settings, logger),
        DatabaseModule,
        AuthModule,
        UsersModule,
        PropertiesModule,
        TransactionsModule,
        ActuatorModule,
      ],
      providers: [
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_PIPE, useClass: ValidationPipe },
        { provide: APP_FILTER, useFactory: () => new ProblemFilter(logger) },
      ],
    };
  }
}
