import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { AccessModule } from './access/access.module.js';
import { ActuatorModule } from './actuator/actuator.module.js';
import { measureHashing } from './actuator/metrics/password.metrics.js';
import { AuthModule } from './auth/auth.module.js';
import { JwtStrategy } from './auth/jwt.strategy.js';
import { Passwords } from './auth/passwords.js';
import { ConfigModule } from './config/config.module.js';
import type { LogCounts, Logger } from './config/logger.js';
import type { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { DOCS_PATHS } from './docs/routes.js';
import { HttpModule } from './http/http.module.js';
import { PropertiesModule } from './properties/properties.module.js';
import { ReportsModule } from './reports/reports.module.js';
import { TransactionsModule } from './transactions/transactions.module.js';
import { TransfersModule } from './transfers/transfers.module.js';
import { UsersModule } from './users/users.module.js';

/** Neither of the two modules knows the other. */
const HASHING_METRICS = Symbol('hashing metrics');

@Module({})
export class AppModule {
  static with(settings: Settings, logger: Logger, counts: LogCounts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(settings, logger, counts),
        HttpModule,
        DatabaseModule,
        AuthModule,
        UsersModule,
        PropertiesModule,
        TransactionsModule,
        ReportsModule,
        TransfersModule,
        ActuatorModule,
        AccessModule.with({
          authenticator: JwtStrategy,
          imports: [AuthModule],
          publicPaths: settings.apiDocs ? DOCS_PATHS : [],
        }),
      ],
      providers: [{ provide: HASHING_METRICS, useFactory: measureHashing, inject: [Registry, Passwords] }],
    };
  }
}
