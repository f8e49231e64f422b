import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Logger } from '../config/logger.js';
import { LOGGER, SETTINGS, type Settings } from '../config/settings.js';
import { HttpModule } from '../http/http.module.js';
import { dataSourceOptions } from './data-source.js';
import { Database } from './database.js';
import { unavailability } from './errors.js';
import { IdempotencyKeyCleaner } from './idempotency-keys.js';
import { DatabaseLifecycle } from './lifecycle.js';
import { ListReader } from './lists/list-reader.js';
import { PoolMetrics } from './pool-metrics.js';
import { Shares } from './shares.js';

@Module({ providers: [PoolMetrics], exports: [PoolMetrics] })
class PoolMetricsModule {}

@Global()
@Module({
  imports: [
    HttpModule,
    PoolMetricsModule,
    TypeOrmModule.forRootAsync({
      imports: [PoolMetricsModule],
      inject: [SETTINGS, LOGGER, PoolMetrics],
      useFactory: (settings: Settings, logger: Logger, metrics: PoolMetrics) => {
        const lost = (error: unknown): void =>
          logger.warn({ reason: unavailability(error) ?? 'unknown' }, 'an idle database connection was lost');
        return {
          ...dataSourceOptions(settings.database, lost, metrics),
          autoLoadEntities: true, // each feature brings its own
          manualInitialization: true, // by DatabaseLifecycle: TypeOrmModule would hold the start until it succeeds
        };
      },
      dataSourceFactory: (options) => Promise.resolve(new DataSource(options ?? { type: 'postgres' })),
    }),
  ],
  providers: [Database, DatabaseLifecycle, ListReader, IdempotencyKeyCleaner, Shares],
  exports: [Database, ListReader, Shares],
})
export class DatabaseModule {}
