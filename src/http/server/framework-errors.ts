import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { exchangesOn, watchExchanges } from './exchanges.js';
import { SECURITY_HEADERS } from './headers.js';
import { malformedRequest, PROBLEM_JSON, problemDocument, ProblemError } from '../problem/problem.js';

/** A longer target is 414; RFC 9112, section 3, asks for at least 8,000 octets. */
export const MAX_URI_LENGTH = 8192;
/** Longer header fields, all together, are 431. */
export const MAX_HEADERS_LENGTH = 16_384;
/** What the parser takes before it gives up: more than both, so that mostly we can tell which was exceeded. */
export const MAX_HEAD_SIZE = 65_536;

/** Node's parser errors carry what was read so far. */
interface ClientError {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** Connections whose refusal waits for the answers before it. */
const WAITING = new WeakSet<Duplex>();

/**
 * What Node refuses before there is a request: broken syntax, oversized headers, a body that never ends. On one
 * connection answers go out in the order of the requests and one for each, so that no client takes the refusal
 * for the answer to a request before.
 */
export function answerBrokenRequest(error: ClientError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) socket.destroy();
  else if (error.code !== 'HPE_CLOSED_CONNECTION' && !WAITING.has(socket)) refuseInTurn(error, socket);
}

function refuseInTurn(error: ClientError, socket: Duplex): void {
  const exchanges = exchangesOn(socket);
  const unsent = exchanges.findLast(
    ({ request, response }) => !response.writableFinished && (request.complete || response.headersSent),
  );
  if (unsent !== undefined) {
    WAITING.add(socket);
    unsent.response.once('close', () => {
      WAITING.delete(socket);
      answerBrokenRequest(error, socket);
    });
  } else if (exchanges.at(-1)?.request.complete === false && exchanges.at(-1)?.response.headersSent) {
    socket.end(); // the body broke behind its answer
  } else writeProblem(socket, problemOf(error));
}

function problemOf({ code, rawPacket }: ClientError): ProblemError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ProblemError('request-timeout', 'The request took too long to arrive.');
  if (code !== 'HPE_HEADER_OVERFLOW') return malformedRequest('The request is not well-formed HTTP.');
  const packet = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const line = packet.indexOf('\r\n');
  if (/^[A-Z]+ /.test(packet) && (line === -1 || line > MAX_URI_LENGTH)) return uriTooLong();
  return headersTooLarge();
}

export function headersTooLarge(): ProblemError {
  return new ProblemError(
    'headers-too-large',
    `The header fields are longer than ${MAX_HEADERS_LENGTH} characters.`,
  );
}

export function uriTooLong(): ProblemError {
  return new ProblemError('uri-too-long', `The URL is longer than ${MAX_URI_LENGTH} characters.`);
}

/** The requests that Node's server would answer, or drop, by itself. */
export function answerRefusedRequests(server: Server): void {
  watchExchanges(server);
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const problem = new ProblemError('expectation-failed', 'Only Expect: 100-continue is known here.');
    writeProblem(response.socket ?? request.socket, problem, request.url);
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const problem = new ProblemError('method-not-allowed', 'This is no proxy.', {
      headers: { allow: 'GET, HEAD, POST, PUT, DELETE' },
    });
    writeProblem(socket, problem, request.url);
  });
}

/** Writes a problem to a socket that has no reply, and closes it. */
function writeProblem(socket: Duplex, problem: ProblemError, target = '/'): void {
  const document = problemDocument(problem, target);
  const body = JSON.stringify(document);
  const headers = {
    ...SECURITY_HEADERS,
    ...problem.options.headers,
    'content-type': PROBLEM_JSON,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': randomUUID(),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${document.status} ${document.title}\r\n${lines.join('')}\r\n${body}`);
}
