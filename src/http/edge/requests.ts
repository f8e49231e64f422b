import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../config/logger.js';
import { LOGGER, SETTINGS, type Settings } from '../../config/settings.js';
import { PROBLEMS, type ProblemSlug } from '../problem/problem.js';
import { whenOver } from './exchanges.js';
import { requestId } from './headers.js';
import { type Trace, traceOf } from './trace-context.js';

/** A request whose response has been sent, or whose client has gone. */
export interface FinishedRequest {
  /** As in `X-Request-Id`. */
  readonly id: string;
  /** Undefined when no request line could be read. */
  readonly method: string | undefined;
  /** The route's template, `/**` for a path without a resource; undefined for a request that was not routed. */
  readonly route: string | undefined;
  /** Undefined when the client has gone. */
  readonly status: number | undefined;
  readonly slug: ProblemSlug | undefined;
  readonly trace: Trace | undefined;
  readonly seconds: number;
}

const NO_RESOURCE = '/**';

/** All requests, those included that Node or Fastify refuses before they reach a handler, and their log. */
@Injectable()
export class Requests {
  /** In flight, with the time at which each began, of `performance.now()`. */
  readonly inFlight = new Map<IncomingMessage, number>();
  private readonly listeners: ((request: FinishedRequest) => void)[] = [];

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'logRequests'>,
  ) {}

  onFinished(listener: (request: FinishedRequest) => void): void {
    this.listeners.push(listener);
  }

  /** Watches a request that Fastify has read, until its response has gone. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    const { raw: response } = reply;
    const startedAt = performance.now();
    this.inFlight.set(request.raw, startedAt);
    whenOver(request, reply, () => {
      if (!this.inFlight.delete(request.raw)) return; // it was refused
      this.finish({
        id: request.id,
        method: request.method,
        route: routeOf(request),
        status: response.writableFinished ? response.statusCode : undefined,
        slug: request.problem,
        trace: traceOf(request.raw),
        seconds: (performance.now() - startedAt) / 1000,
      });
    });
  }

  /** Counts a request that no handler answers, and returns its id. There is none when no head could be read. */
  refuse(slug: ProblemSlug, request: IncomingMessage | undefined): string {
    const now = performance.now();
    const startedAt = request === undefined ? now : (this.inFlight.get(request) ?? now);
    if (request !== undefined) this.inFlight.delete(request);
    const id = request === undefined ? randomUUID() : requestId(request);
    this.finish({
      id,
      method: request?.method,
      route: undefined,
      status: PROBLEMS[slug].status,
      slug,
      trace: request === undefined ? undefined : traceOf(request),
      seconds: (now - startedAt) / 1000,
    });
    return id;
  }

  private finish(request: FinishedRequest): void {
    this.log(request);
    for (const listener of this.listeners) listener(request);
  }

  /** The access log: one line, at `info`, without a path, a query, a header or a body. */
  private log({ id, trace, seconds, method, route, status, slug }: FinishedRequest): void {
    const { logRequests } = this.settings;
    if (logRequests === 'off' || (logRequests === 'errors' && (status ?? 0) < 400)) return;
    const milliseconds = Math.round(seconds * 1000);
    this.logger.info({ requestId: id, ...trace, method, route, status, slug, milliseconds }, 'request');
  }
}

/** A route that only answers 405 is no resource. */
function routeOf({ routeOptions: { url, config } }: FastifyRequest): string {
  return url === undefined || config.allow !== undefined ? NO_RESOURCE : url;
}
