import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Release } from '../common/concurrency/places.js';
import type { ProblemSlug } from '../common/problems/problem.js';
import { requestId, traceOf } from './headers.js';
import { routeOf } from './method-not-allowed.js';

/** A request that has come in, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  /** Undefined until it has a route, and once its response is over: it holds the body. */
  routed?: FastifyRequest | undefined;
  /** Whether its response has been sent, or its client has gone. */
  isFinished: boolean;
  /** Whether its handler, if it has any, is done: until then it holds what it has, also when its client has gone. */
  isAnswered: boolean;
  /** When the whole request must have arrived. The service's own pauses do not count. */
  arrivesBy: number;
  /** Gives back what it holds. */
  readonly kept: Release[];
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange?: Exchange | undefined;
  }
}

export type FinishedRequest = ReturnType<typeof factsOf>;

/** For the log and the metrics. */
export const factsOf = (
  { request, routed, startedAt = performance.now() }: Partial<Exchange>,
  status?: number,
  slug?: ProblemSlug,
) => ({
  id: routed?.id ?? requestId(request),
  method: request?.method,
  route: routed && routeOf(routed),
  status,
  slug,
  trace: request && traceOf(request),
  seconds: (performance.now() - startedAt) / 1000,
});

/** Calls back once the request has been answered and its response is over. */
export function keep({ exchange }: FastifyRequest, release: Release): void {
  if (exchange === undefined) release();
  else exchange.kept.push(release);
}

export function answered(exchange: Exchange | undefined): void {
  if (exchange === undefined) return;
  exchange.isAnswered = true;
  if (exchange.response.closed) giveBack(exchange);
}

export function giveBack(exchange: Exchange | undefined): void {
  for (const release of exchange?.kept.splice(0) ?? []) release();
}

export function isOver({ request, response }: Exchange): boolean {
  return request.complete && response.writableFinished;
}
