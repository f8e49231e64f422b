import { Module } from '@nestjs/common';
import { ResponseMemory } from './edge/large-responses.js';
import { RequestMetrics } from './edge/request-metrics.js';
import { Requests } from './edge/requests.js';

/** The requests, their metrics, and the memory that large responses share. */
@Module({ providers: [Requests, RequestMetrics, ResponseMemory], exports: [Requests, ResponseMemory] })
export class HttpModule {}
