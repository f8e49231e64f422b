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
import { PoolEvents } from './pool.js';

@Module({ providers: [PoolEvents], exports: [PoolEvents] })
class PoolEventsModule {}

@Global()
@Module({
  imports: [
    HttpModule,
    PoolEventsModule,
    TypeOrmModule.forRootAsync({
      imports: [PoolEventsModule],
      inject: [SETTINGS, LOGGER, PoolEvents],
      useFactory: (settings: Settings, logger: Logger, events: PoolEvents) => {
        const lost = (error: unknown): void =>
          logger.warn({ reason: unavailability(error) ?? 'unknown' }, 'an idle database connection was lost');
        return {
          ...dataSourceOptions(settings.database, lost, events),
          autoLoadEntities: true, // each feature brings its own
          manualInitialization: true, // by DatabaseLifecycle: TypeOrmModule would hold the start until it succeeds
        };
      },
      dataSourceFactory: (options) => Promise.resolve(new DataSource(options ?? { type: 'postgres' })),
    }),
  ],
  providers: [Database, DatabaseLifecycle, ListReader, IdempotencyKeyCleaner],
  exports: [Database, ListReader, PoolEventsModule],
})
export class DatabaseModule {}
