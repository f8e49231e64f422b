import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request that has come in, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const EXCHANGES = new WeakMap<Duplex, readonly Exchange[]>();

/** Remembers, of every connection, the requests that are still arriving or have no response yet. */
export function watchExchanges(server: Server): void {
  server.on('connection', (socket: Socket) => socket.setMaxListeners(0)); // one or more for each pipelined request
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

/**
 * Calls back once the response has gone, or its connection: the response itself says nothing when its connection closes
 * while it still waits for the one before it.
 */
export function whenOver(
  { raw: { socket } }: FastifyRequest,
  { raw: response }: FastifyReply,
  then: () => void,
): void {
  if (socket.destroyed) {
    then();
    return;
  }
  let isDone = false; // the response can close while the listeners of its connection are being called
  const over = (): void => {
    if (isDone) return;
    isDone = true;
    socket.off('close', over);
    response.off('close', over);
    then();
  };
  socket.once('close', over);
  response.once('close', over);
}
