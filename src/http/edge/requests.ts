import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEMS, type ProblemSlug } from '../problem/problem.js';
import { whenOver } from './exchanges.js';
import { onRefusal, type Refusal } from './refusals.js';
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

/** All requests, those included that Node or Fastify refuses before they reach a handler. */
@Injectable()
export class Requests {
  /** In flight, with the time at which each began, of `performance.now()`. */
  readonly inFlight = new Map<FastifyRequest, number>();
  private readonly listeners: ((request: FinishedRequest) => void)[] = [];

  onFinished(listener: (request: FinishedRequest) => void): void {
    this.listeners.push(listener);
  }

  /** Call it before any other hook is added, so that none refuses a request unseen. */
  watch(fastify: FastifyInstance): void {
    /** Requests that the hook has seen, and that were refused all the same. */
    const refused = new WeakSet<IncomingMessage>();
    fastify.addHook('onRequest', (request, reply, done) => {
      const startedAt = performance.now();
      this.inFlight.set(request, startedAt);
      whenOver(request, reply, () => {
        this.inFlight.delete(request);
        if (!refused.has(request.raw)) this.notify(finished(request, reply, startedAt));
      });
      done();
    });
    onRefusal(fastify.server, (refusal) => {
      if (refusal.request !== undefined) refused.add(refusal.request);
      this.notify(finishedByRefusal(refusal));
    });
  }

  private notify(request: FinishedRequest): void {
    for (const listener of this.listeners) listener(request);
  }
}

function finished(request: FastifyRequest, { raw }: FastifyReply, startedAt: number): FinishedRequest {
  return {
    id: request.id,
    method: request.method,
    route: routeOf(request),
    status: raw.writableFinished ? raw.statusCode : undefined,
    slug: request.problem,
    trace: traceOf(request.raw),
    seconds: secondsSince(startedAt),
  };
}

function finishedByRefusal({ id, request, slug, startedAt }: Refusal): FinishedRequest {
  return {
    id,
    method: request?.method,
    route: undefined,
    status: PROBLEMS[slug].status,
    slug,
    trace: request === undefined ? undefined : traceOf(request),
    seconds: secondsSince(startedAt),
  };
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}

/** A route that only answers 405 is no resource. */
function routeOf({ routeOptions: { url, config } }: FastifyRequest): string {
  return url === undefined || config.allow !== undefined ? NO_RESOURCE : url;
}
