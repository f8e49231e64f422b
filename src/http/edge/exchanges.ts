import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request that has come in, and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const EXCHANGES = new WeakMap<Duplex, readonly Exchange[]>();

/** Remembers, of every connection, the requests that are still arriving or being answered. */
export function watchExchanges(server: Server): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const open = exchangesOn(request.socket).filter((exchange) => !isOver(exchange));
    EXCHANGES.set(request.socket, [...open, { request, response }]);
  });
}

function isOver({ request, response }: Exchange): boolean {
  return request.complete && response.writableFinished;
}

/** The latest last. */
export function exchangesOn(socket: Duplex): readonly Exchange[] {
  return EXCHANGES.get(socket) ?? [];
}

/** What is to be done for the answers under way on a connection when it closes. */
const UNDER_WAY = new WeakMap<Socket, Set<() => void>>();

/**
 * Once the answer has gone, or its connection. The response itself says nothing when its connection closes while it
 * still waits for the one before it.
 */
export function whenOver(
  request: FastifyRequest,
  { raw: response }: Pick<FastifyReply, 'raw'>,
  then: () => void,
): void {
  const { socket } = request.raw;
  if (socket.destroyed) {
    then();
    return;
  }
  const underWay = underWayOn(socket);
  const over = (): void => {
    if (underWay.delete(over)) then();
  };
  underWay.add(over);
  response.once('close', over);
}

function underWayOn(socket: Socket): Set<() => void> {
  let underWay = UNDER_WAY.get(socket);
  if (underWay === undefined) {
    UNDER_WAY.set(socket, (underWay = new Set()));
    const all = underWay;
    socket.once('close', () => all.forEach((over) => over()));
  }
  return underWay;
}
