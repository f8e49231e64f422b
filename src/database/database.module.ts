import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Changes } from './changes.js';
import { Connections, POOL_METRICS } from './connections.js';
import { createDataSource } from './data-source.js';
import { Database } from './database.js';
import { DatabaseLifecycle } from './lifecycle.js';
import { Shares } from './shares.js';

@Module({})
export class DatabaseModule {
  static with(entities: readonly Type[]): DynamicModule {
    const dataSource = {
      provide: DataSource,
      inject: [Connections],
      useFactory: async ({ authentication }: Connections) => createDataSource(authentication, entities),
    };
    const services = [Changes, Connections, Database, DatabaseLifecycle, Shares];
    return {
      module: DatabaseModule,
      global: true,
      providers: [...services, dataSource, ...POOL_METRICS],
      exports: [Changes, Database, DataSource, Shares],
    };
  }
}
