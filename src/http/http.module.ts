import { Global, Module } from '@nestjs/common';
import { ClientMemory } from './client-memory.js';
import { REQUEST_METRICS, RequestMetrics } from './request-metrics.js';
import { Requests } from './requests.js';

/** The requests, their metrics, and the memory that they share. */
@Global()
@Module({
  providers: [Requests, RequestMetrics, ClientMemory, ...REQUEST_METRICS],
  exports: [Requests, ClientMemory],
})
export class HttpModule {}
