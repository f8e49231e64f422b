import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { Registry } from 'prom-client';
import { AccessGuard, Authenticator } from './common/access/access.guard.js';
import { ActuatorModule } from './actuator/actuator.module.js';
import { AuthModule } from './auth/auth.module.js';
import { Authentication } from './auth/authentication.js';
import { ConfigModule } from './config/config.module.js';
import type { Logger } from './config/logger.js';
import type { Settings } from './config/env.js';
import { DatabaseModule } from './database/database.module.js';
import { HttpModule } from './http/http.module.js';
import { ApiKey } from './keys/key.entity.js';
import { KeysModule } from './keys/keys.module.js';
import { PropertiesModule } from './properties/properties.module.js';
import { Property } from './properties/property.entity.js';
import { ReportsModule } from './reports/reports.module.js';
import { Transaction } from './transactions/transaction.entity.js';
import { TransactionsModule } from './transactions/transactions.module.js';
import { TransfersModule } from './transfers/transfers.module.js';
import { User } from './users/user.entity.js';
import { UsersModule } from './users/users.module.js';

@Module({})
export class AppModule {
  static with(settings: Settings, logger: Logger, registry: Registry): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(settings, logger, registry),
        HttpModule,
        DatabaseModule.with([User, ApiKey, Property, Transaction]),
        AuthModule,
        KeysModule,
        UsersModule,
        PropertiesModule,
        TransactionsModule,
        ReportsModule,
        TransfersModule,
        ActuatorModule,
      ],
      providers: [
        AccessGuard,
        { provide: APP_GUARD, useExisting: AccessGuard },
        { provide: Authenticator, useExisting: Authentication },
      ],
    };
  }
}
