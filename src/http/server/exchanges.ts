import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

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
