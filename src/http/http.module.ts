import { Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { SETTINGS, type Settings } from '../config/settings.js';
import { AnswerMemory } from './answers/answer-memory.js';
import { FieldsPipe } from './fields/fields.pipe.js';
import { ProblemFilter } from './problem/problem.filter.js';
import { RequestLog } from './server/request-log.js';
import { RequestMetrics } from './server/request-metrics.js';
import { Requests } from './server/requests.js';

/** How fields are read and errors answered, everywhere; and what lists and large answers share. */
@Module({
  providers: [
    Requests,
    RequestLog,
    RequestMetrics,
    {
      provide: AnswerMemory,
      inject: [SETTINGS],
      useFactory: ({ responseMemory }: Settings) => new AnswerMemory(responseMemory),
    },
    { provide: APP_PIPE, useClass: FieldsPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [Requests, AnswerMemory],
})
export class HttpModule {}
