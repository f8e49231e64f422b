import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request that has come in, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The open connections of a server, each with the requests that are still arriving or have no response yet. */
type Connections = Map<Duplex, readonly Exchange[]>;

const OPEN = new WeakMap<Server, Connections>();

/**
 * Remembers the exchanges of every open connection. Closes connections whose client has taken nothing of what waits for
 * it for `timeout` milliseconds.
 */
export function watchConnections(server: Server, timeout: number): void {
  const open: Connections = new Map();
  OPEN.set(server, open);
  server.on('connection', (socket: Socket) => {
    open.set(socket, []);
    socket.once('close', () => {
      const exchanges = open.get(socket) ?? [];
      open.delete(socket);
      // Node is silent about a response that still waits for the one before it.
      for (const { response } of exchanges) if (isQueued(response)) response.emit('close');
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const others = exchangesOn(server, request.socket).filter((exchange) => !isOver(exchange));
    open.set(request.socket, [...others, { request, response }]);
  });
  server.setTimeout(timeout, (socket: Socket) => {
    const exchanges = exchangesOn(server, socket);
    if (socket.writableLength > 0) socket.resetAndDestroy();
    else if (exchanges.length > 0 && exchanges.every(isOver)) socket.destroy(); // its keep-alive time is over
  });
}

function isQueued({ socket, writableFinished }: ServerResponse): boolean {
  return socket === null && !writableFinished;
}

function isOver({ request, response }: Exchange): boolean {
  return request.complete && response.writableFinished;
}

/** The latest last. */
export function exchangesOn(server: Server, socket: Duplex): readonly Exchange[] {
  return OPEN.get(server)?.get(socket) ?? [];
}

export function countConnections(server: Server): number {
  return OPEN.get(server)?.size ?? 0;
}

/** Closes connections on which no request has ever come: Node takes them for busy until their time is up. */
export function closeSilentConnections(server: Server): void {
  for (const socket of OPEN.get(server)?.keys() ?? [])
    if ((socket as Socket).bytesRead === 0) socket.destroy();
}

/** Calls back once the response has gone, or its connection. */
export function whenOver({ raw }: FastifyRequest, { raw: response }: FastifyReply, then: () => void): void {
  if (raw.socket.destroyed) then();
  else response.once('close', then);
}
