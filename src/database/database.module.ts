import { Global, Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { Connections } from './connections.js';
import { Database } from './database.js';
import { DatabaseLifecycle } from './lifecycle.js';
import { Shares } from './shares.js';

@Global()
@Module({
  imports: [HttpModule],
  providers: [Connections, Database, DatabaseLifecycle, Shares],
  exports: [Database, Shares],
})
export class DatabaseModule {}
