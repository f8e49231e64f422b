import { randomUUID } from 'node:crypto';
import { type FastifyRequest, LogController } from 'fastify';
import { logFailure } from '../problem/problem.filter.js';

/** Fastify's own log: broken responses alone, for which there can be no problem document. */
export class FrameworkLog extends LogController {
  constructor() {
    super({ disableRequestLogging: true });
  }

  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return; // its client has gone
    logFailure(request, randomUUID(), error.cause ?? error, 'The response was cut off before its end.');
  }
}
