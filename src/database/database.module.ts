import { Global, Module } from '@nestjs/common';
import pg from 'pg';
import { HttpModule } from '../http/http.module.js';
import { Connections } from './connections.js';
import { Database } from './database.js';
import { DatabaseLifecycle } from './lifecycle.js';
import { POOL_METRICS, PoolTimes } from './pool-metrics.js';
import { Shares } from './shares.js';

@Global()
@Module({
  imports: [HttpModule],
  providers: [
    Connections,
    { provide: pg.Pool, inject: [Connections], useFactory: ({ pool }: Connections) => pool },
    Database,
    DatabaseLifecycle,
    PoolTimes,
    Shares,
    ...POOL_METRICS,
  ],
  exports: [Database, Shares],
})
export class DatabaseModule {}
