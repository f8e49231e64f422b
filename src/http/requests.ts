import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Logger, LOGGER } from '../config/logger.js';
import { Settings } from '../config/env.js';
import { ProblemError, type ProblemSlug } from '../common/problems/problem.js';
import { answered, type Exchange, factsOf, type FinishedRequest, giveBack, isOver } from './exchange.js';
import { bodyLength, hasLongBody, headSize, readAheadOf } from './headers.js';
import { Places, type Release } from '../common/concurrency/places.js';
import { countNewcomer, lineOfTurns, quietIteration } from '../common/concurrency/turns.js';
import { closeInStages } from './lingering-close.js';
import { endSlow, type WatchedConnection } from './slow-clients.js';

interface Connection extends WatchedConnection {
  /** Requests that are still arriving or have no response yet, the latest last. */
  exchanges: readonly Exchange[];
  /** When it was opened, or had its last complete request. */
  usedAt: number;
  /** Gives back what the next request holds, of which the head has just come. */
  arrival?: Release | undefined;
}

type Use = readonly [Socket, usedAt: number];
const UNUSED: Connection = { exchanges: [], usedAt: 0, unread: 0, unreadSince: 0 };
/** Bytes a second with which a file may go on for longer than a request. */
const SLOWEST = 64 * 1024;
/** First requests that begin in one turn. With fewer, the line of another account grew beside eight attackers. */
const BEGIN_AT_ONCE = 4;
/** Most requests of one connection without a response, and KiB of their heads; fewer where many connections are open. */
const MOST_UNANSWERED = 16;

/** All connections and their requests, also those that Node or Fastify refuses before a handler; and their log. */
@Injectable()
export class Requests {
  /**
   * The open ones. A request changes no entry: the tables that a Map has outgrown would keep finished requests alive, and
   * V8 copies those (a third of the rate of short requests).
   */
  readonly connections = new Map<Socket, Connection>();
  readonly onFinished: ((request: FinishedRequest) => void)[] = [];
  /** Uses of connections at some time, the next to end last: sorted once for many newcomers, an eighth of all. */
  private uses: Use[] = [];
  /** Refused clients come back at once. */
  readonly refusalTurn = lineOfTurns();
  private readonly readingTurn = lineOfTurns();
  /** First requests begin a few at a time, one of each credential, in turn. */
  private readonly first = new Places(BEGIN_AT_ONCE, 1);
  /** Bytes that Node has read of long bodies whose accounts have not taken room for them yet. */
  private readonly arriving: Places;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    readonly settings: Settings,
  ) {
    const size = (3 * settings.clientMemory) / 8;
    const error = (): Error => new ProblemError('too-many-requests', 'Too many long bodies arrive at once.');
    const refusal = { after: 0, error };
    this.arriving = new Places(size, size / 3, { own: refusal, others: refusal });
  }

  get inFlight(): Exchange[] {
    return [...this.connections.values()]
      .flatMap(({ exchanges }) => exchanges)
      .filter(({ isFinished }) => !isFinished);
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      countNewcomer();
      if (this.connections.size >= this.settings.maxConnections) this.endOldest();
      this.connections.set(socket, { ...UNUSED, usedAt: performance.now() });
      socket.destroySoon = () => closeInStages(socket);
      socket.once('close', () => {
        const exchanges = this.on(socket);
        this.connections.delete(socket);
        // Node is silent about a response that still waits for the one before it.
        for (const { response } of exchanges)
          if (response.socket === null && !response.writableFinished) response.emit('close');
      });
    });
    const [handle] = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request').on('request', (request, response) => {
      const earlier = this.on(request.socket);
      const before = earlier.findLast((other) => !isOver(other));
      const exchange = this.register(request, response);
      const begin = (): void => {
        if (!request.socket.writable) {
          answered(exchange); // gone, or behind the last response
          return;
        }
        exchange.arrivesBy = performance.now() + this.settings.requestTimeout;
        handle?.(request, response);
      };
      // Node reads requests ahead. Those of a connection are carried out one by one.
      if (earlier.length === 0) void this.firstTurn(request).then(begin);
      else if (before === undefined) begin();
      else before.response.once('close', begin);
    });
    endSlow(server, this.connections, this.settings.responseTimeout);
  }

  private async firstTurn({ headers, socket }: IncomingMessage): Promise<void> {
    const leave = await this.first.take({ id: headers.authorization ?? '' });
    if (socket.writable) await quietIteration();
    leave();
    countNewcomer();
  }

  private register(request: IncomingMessage, response: ServerResponse): Exchange {
    const { socket } = request;
    const connection = this.connections.get(socket) ?? { ...UNUSED };
    const kept = connection.arrival ? [connection.arrival] : [];
    const exchange: Exchange = {
      request,
      response,
      startedAt: performance.now(),
      isFinished: false,
      isAnswered: false,
      arrivesBy: Infinity,
      kept,
    };
    connection.arrival = undefined;
    connection.exchanges = [...connection.exchanges.filter((other) => !isOver(other)), exchange];
    const renew = (): void => void (connection.usedAt = performance.now());
    if (bodyLength(request) > 0) request.once('end', renew);
    else renew();
    response.once('close', () => this.release(exchange));
    return exchange;
  }

  private release(exchange: Exchange): void {
    const { response, isFinished, isAnswered, routed } = exchange;
    if (isAnswered) giveBack(exchange);
    exchange.arrivesBy = Math.min(exchange.arrivesBy, performance.now() + this.settings.requestTimeout);
    const status = response.writableFinished ? response.statusCode : undefined;
    if (!isFinished) this.finish(exchange, status, routed?.problem); // nor refused
    exchange.routed = undefined;
  }

  /** Stops the clock of a request that is not being read. The function starts it again, longer for the bytes that have been. */
  pauseClock({ exchange }: Pick<FastifyRequest, 'exchange'>): (read?: number) => void {
    if (exchange === undefined) return () => undefined;
    const left = exchange.arrivesBy - performance.now();
    exchange.arrivesBy = Infinity;
    return (read = 0) => {
      const time = Math.min(this.settings.requestTimeout, left + (read * 1000) / SLOWEST);
      exchange.arrivesBy = performance.now() + time;
    };
  }

  /** Waits for a turn to read more of a body, while its clock stands: the sockets of a crowd may have megabytes each. */
  readingTurns({ exchange }: FastifyRequest): () => Promise<void> {
    return async () => {
      const restart = this.pauseClock({ exchange });
      await this.readingTurn();
      restart();
    };
  }

  /**
   * Makes room for a newcomer, which may be a probe. The half of the connections that was used last is safe, and of the other
   * one those with a request under way end last: no crowd of newcomers ends these, and no crowd of these a newcomer.
   */
  private endOldest(): void {
    let oldest: Use | undefined;
    do {
      if (this.uses.length === 0) this.uses = this.sortedUses();
      oldest = this.uses.pop();
    } while (oldest && (this.connections.get(oldest[0])?.usedAt ?? Infinity) > oldest[1]); // closed, or used since
    oldest?.[0].destroy();
  }

  private sortedUses(): Use[] {
    const all = Array.from(this.connections, ([socket, { usedAt }]) => [socket, usedAt] as const);
    const half = all.sort(([, one], [, other]) => other - one).slice(all.length / 2);
    const isUnderWay = ([socket]: Use): boolean =>
      this.on(socket).some(({ request, isFinished }) => request.complete && !isFinished);
    return [...half.filter(isUnderWay), ...half.filter((use) => !isUnderWay(use))].slice(-all.length / 8);
  }

  /**
   * Whether a connection may have one more request. Node builds all of a chunk, of which 64 KiB hold 2,400, before any is
   * answered: one too many ends the connection behind the responses. Throws too-many-requests for its body.
   */
  haveRoom(next: IncomingMessage): boolean {
    const { socket, headers } = next;
    const unanswered = this.on(socket).filter((exchange) => !isOver(exchange));
    const last = unanswered.at(-1)?.response;
    if (last !== undefined) {
      const most = Math.min(MOST_UNANSWERED, (2 * this.settings.maxConnections) / this.connections.size);
      const sizes = unanswered.map(({ request }) => headSize(request));
      if (sizes.reduce((sum, size) => sum + size, headSize(next)) > most) {
        if (!last.headersSent) last.setHeader('connection', 'close');
        last.once('close', () => closeInStages(socket));
        return false;
      }
    }
    const connection = this.connections.get(socket);
    if (connection !== undefined && hasLongBody(next))
      connection.arrival = this.arriving.takeNow({ id: headers.authorization ?? '' }, readAheadOf(next));
    return true;
  }

  on(socket: Duplex): readonly Exchange[] {
    return this.connections.get(socket as Socket)?.exchanges ?? [];
  }

  route(request: FastifyRequest): void {
    const exchange = this.on(request.raw.socket).find((each) => each.request === request.raw);
    if (exchange === undefined) return;
    exchange.routed = request;
    request.exchange = exchange;
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
