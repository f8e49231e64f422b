import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Logger } from '../config/logger.js';
import { LOGGER, SETTINGS, type Settings } from '../config/settings.js';
import type { ProblemSlug } from '../common/problems/problem.js';
import { requestId, traceOf } from './headers.js';
import { closeInStages } from './lingering-close.js';

/** A request that has come in, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  /** Undefined until it has a route. */
  routed?: FastifyRequest;
  /** Whether its response has been sent, or its client has gone. */
  isFinished: boolean;
}

export type FinishedRequest = ReturnType<typeof factsOf>;

/** All connections and their requests, those included that Node or Fastify refuses before a handler, and their log. */
@Injectable()
export class Requests {
  /** The open connections, each with the requests that are still arriving or have no response yet, the latest last. */
  readonly connections = new Map<Socket, readonly Exchange[]>();
  readonly onFinished: ((request: FinishedRequest) => void)[] = [];

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'logRequests'>,
  ) {}

  get inFlight(): Exchange[] {
    return [...this.connections.values()].flat().filter(({ isFinished }) => !isFinished);
  }

  /** Also closes connections whose client has taken nothing of what waits for it for `timeout` milliseconds. */
  watch(server: Server, timeout: number): void {
    server.on('connection', (socket: Socket) => {
      this.connections.set(socket, []);
      socket.destroySoon = () => closeInStages(socket);
      socket.once('close', () => {
        const exchanges = this.on(socket);
        this.connections.delete(socket);
        // Node is silent about a response that still waits for the one before it.
        for (const { response } of exchanges)
          if (response.socket === null && !response.writableFinished) response.emit('close');
      });
    });
    // Before Fastify, which routes the request at once
    server.prependListener('request', (request, response) => {
      const exchange: Exchange = { request, response, startedAt: performance.now(), isFinished: false };
      const others = this.on(request.socket).filter((other) => !isOver(other));
      this.connections.set(request.socket, [...others, exchange]);
      response.once('close', () => {
        const status = response.writableFinished ? response.statusCode : undefined;
        if (!exchange.isFinished) this.finish(exchange, status, exchange.routed?.problem); // nor refused
      });
    });
    server.setTimeout(timeout, (socket: Socket) => {
      const exchanges = this.on(socket);
      if (socket.writableLength > 0) socket.resetAndDestroy();
      else if (exchanges.length > 0 && exchanges.every(isOver)) socket.destroy(); // its keep-alive time is over
    });
  }

  on(socket: Duplex): readonly Exchange[] {
    return this.connections.get(socket as Socket) ?? [];
  }

  route(request: FastifyRequest): void {
    const exchange = this.on(request.raw.socket).at(-1);
    if (exchange !== undefined) exchange.routed = request;
  }

  /**
   * Counts a request, and returns its id. Without a status its client has gone; without a request no head could be read.
   * The access log has one line, at `info`, without a path, a query, a header or a body.
   */
  finish(exchange: Partial<Exchange>, status?: number, slug?: ProblemSlug): string {
    exchange.isFinished = true;
    const finished = factsOf(exchange, status, slug);
    const { id, trace, seconds, method, route } = finished;
    const { logRequests } = this.settings;
    if (logRequests === 'all' || (logRequests === 'errors' && (status ?? 0) >= 400)) {
      const milliseconds = Math.round(seconds * 1000);
      this.logger.info({ requestId: id, ...trace, method, route, status, slug, milliseconds }, 'request');
    }
    for (const listener of this.onFinished) listener(finished);
    return id;
  }
}

const factsOf = (
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

function isOver({ request, response }: Exchange): boolean {
  return request.complete && response.writableFinished;
}

/** A route that only answers 405 is no resource. */
function routeOf({ routeOptions: { url, config } }: FastifyRequest): string {
  return url === undefined || config.allow !== undefined ? '/**' : url;
}
