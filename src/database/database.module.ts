import { Global, Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { Connections } from './connections.js';
import { Database } from './database.js';
import { IdempotencyKeyCleaner } from './idempotency-keys.js';
import { DatabaseLifecycle } from './lifecycle.js';
import { ListReader } from './lists/list-reader.js';
import { PoolMetrics } from './pool-metrics.js';
import { Shares } from './shares.js';

@Global()
@Module({
  imports: [HttpModule],
  providers: [PoolMetrics, Connections, Database, DatabaseLifecycle, IdempotencyKeyCleaner, ListReader, Shares],
  exports: [Database, ListReader, Shares],
})
export class DatabaseModule {}
