import { Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ResponseMemory } from './edge/large-responses.js';
import { FieldsPipe } from './fields/fields.pipe.js';
import { ProblemFilter } from './problem/problem.filter.js';
import { RequestMetrics } from './edge/request-metrics.js';
import { Requests } from './edge/requests.js';

/** Reads fields and answers errors everywhere, and holds the memory that large responses share. */
@Module({
  providers: [
    Requests,
    RequestMetrics,
    ResponseMemory,
    { provide: APP_PIPE, useClass: FieldsPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [Requests, ResponseMemory],
})
export class HttpModule {}
