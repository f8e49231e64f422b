import { type DynamicModule, Module, type Type } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { Changes } from './changes.js';
import { Connections } from './connections.js';
import { createDataSource } from './data-source.js';
import { Database } from './database.js';
import { DatabaseLifecycle } from './lifecycle.js';
import { POOL_METRICS, PoolTimes } from './pool-metrics.js';
import { Shares } from './shares.js';

@Module({})
export class DatabaseModule {
  static with(entities: readonly Type[]): DynamicModule {
    const pool = { provide: pg.Pool, inject: [Connections], useFactory: (all: Connections) => all.pool };
    const dataSource = {
      provide: DataSource,
      inject: [Connections],
      useFactory: async ({ authentication }: Connections) => createDataSource(authentication, entities),
    };
    const services = [Changes, Connections, Database, DatabaseLifecycle, PoolTimes, Shares];
    return {
      module: DatabaseModule,
      global: true,
      providers: [...services, pool, dataSource, ...POOL_METRICS],
      exports: [Changes, Database, DataSource, Shares],
    };
  }
}
