import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { malformedRequest, ProblemError } from '../problem/problem.js';
import { watchExchanges } from './exchanges.js';
import { isClosing, lingerOnClose } from './lingering-close.js';
import { refuseInTurn } from './refusals.js';

/** A longer target is 414; RFC 9112, section 3, asks for at least 8,000 octets. */
export const MAX_URI_LENGTH = 8192;
/** Longer header fields, all together, are 431. */
export const MAX_HEADERS_LENGTH = 16_384;
/**
 * What the parser takes before it gives up: more than both, so that mostly we can tell which was exceeded, and less
 * than Node reads at once, so that the first line is at hand when it gives up.
 */
export const MAX_HEAD_SIZE = 32_768;

/** Node's parser errors carry what was read so far. */
interface ClientError {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** Answers the faults that Node finds before there is a request, or while it comes: syntax, oversized headers, a slow body. */
export function refuseBrokenRequest(server: Server, error: ClientError, socket: Duplex): void {
  if (isClosing(socket) || error.code === 'HPE_CLOSED_CONNECTION') return;
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else refuseInTurn(server, socket, problemOf(error));
}

function problemOf({ code, rawPacket }: ClientError): ProblemError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ProblemError('request-timeout');
  if (code !== 'HPE_HEADER_OVERFLOW') return malformedRequest('The request is not well-formed HTTP.');
  const packet = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const line = packet.indexOf('\r\n');
  if (/^[A-Z]+ /.test(packet) && (line === -1 || line > MAX_URI_LENGTH))
    return new ProblemError('uri-too-long');
  return new ProblemError('headers-too-large');
}

/** Takes over the requests that Node's server would answer or drop by itself, and the end of its connections. */
export function takeOverRefusals(server: Server): void {
  watchExchanges(server);
  lingerOnClose(server);
  // Like any other request, so that it is authenticated, counted and answered in its turn; see `request-head.ts`.
  const asRequest = (request: IncomingMessage, response: ServerResponse): void => {
    server.emit('request', request, response);
  };
  server.on('checkContinue', asRequest);
  server.on('checkExpectation', asRequest);
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy()); // Node has taken its own listeners off
    const problem = new ProblemError('method-not-allowed', 'This service is not a proxy.', {
      headers: { allow: 'GET, HEAD, POST, PUT, DELETE' },
    });
    refuseInTurn(server, socket, problem, request);
  });
}
