import { Module } from '@nestjs/common';
import { ResponseMemory } from './large-responses.js';
import { REQUEST_METRICS, RequestMetrics } from './request-metrics.js';
import { Requests } from './requests.js';

/** The requests, their metrics, and the memory that large responses share. */
@Module({
  providers: [Requests, RequestMetrics, ResponseMemory, ...REQUEST_METRICS],
  exports: [Requests, ResponseMemory],
})
export class HttpModule {}
