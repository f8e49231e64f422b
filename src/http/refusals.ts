import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { malformedRequest, PROBLEM_JSON, problemDocument, ProblemError } from '../common/problems/problem.js';
import { commonHeaders } from './headers.js';
import { closeInStages } from './lingering-close.js';
import type { Exchange, Requests } from './requests.js';

/** A longer target is 414; RFC 9112, section 3, asks for at least 8,000 octets. */
export const MAX_URI_LENGTH = 8192;
/** Bytes of a head; more are 431. Less than Node reads at once, so that a target that is too long mostly shows. */
export const MAX_HEAD_SIZE = 16_384;
/** Fields of a head; more are 431. Node keeps one more, so that it shows. */
export const MAX_HEADER_FIELDS = 100;

/** Node's parser errors carry what was read so far. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** Answers the requests that Node's server would answer or drop by itself. */
export function refuseForNode(server: Server, requests: Requests): void {
  server.maxHeadersCount = MAX_HEADER_FIELDS + 1;
  // Like any other request, so that it is authenticated, counted and answered in its turn; see `request-head.ts`.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (...request: unknown[]) => server.emit('request', ...request));
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy()); // Node has taken its own listeners off
    const headers = { allow: 'GET, HEAD, POST, PUT, DELETE' };
    const problem = new ProblemError('method-not-allowed', 'This server is not a proxy.', { headers });
    refuseInTurn(requests, socket, problem, request);
  });
  // Faults that Node finds before there is a request, or while it comes: syntax, long headers, a slow body
  server.on('clientError', (error: ClientError, socket) => {
    if (socket.writableEnded || error.code === 'HPE_CLOSED_CONNECTION') return;
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuseInTurn(requests, socket, problemOf(error));
  });
}

/**
 * Refuses the next request on a connection, and ends it. Responses go out in the order of the requests and one for
 * each, so that no client takes the refusal for the response to an earlier request.
 */
function refuseInTurn(
  requests: Requests,
  socket: Duplex,
  problem: ProblemError,
  request?: IncomingMessage,
): void {
  const refuse = (): void => {
    if (!socket.writable) return;
    const last = requests.on(socket).at(-1);
    const broken = last?.request.complete === false ? last : undefined;
    // else the body broke behind its response
    if (broken?.response.headersSent !== true) {
      const refused = broken ?? { request };
      const id = requests.finish(refused, problem.status, problem.slug);
      writeProblem(socket, problem, id, refused.request);
    }
    closeInStages(socket);
  };
  const unsent = requests.on(socket).findLast(isUnsent);
  if (unsent === undefined) refuse();
  else unsent.response.once('close', refuse);
}

/** Whether a response is still to come: none does for a broken request. */
function isUnsent({ request, response }: Exchange): boolean {
  return !response.writableFinished && (request.complete || response.headersSent);
}

function problemOf({ code, rawPacket }: ClientError): ProblemError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ProblemError('request-timeout');
  if (code !== 'HPE_HEADER_OVERFLOW') return malformedRequest('The request is not well-formed HTTP.');
  const packet = String(rawPacket);
  const line = packet.indexOf('\r\n');
  if (/^[A-Z]+ /.test(packet) && (line === -1 || line > MAX_URI_LENGTH))
    return new ProblemError('uri-too-long');
  return new ProblemError('headers-too-large');
}

/** Writes a problem to a socket that has no reply. */
function writeProblem(socket: Duplex, problem: ProblemError, id: string, request?: IncomingMessage): void {
  const body = problemDocument(problem, request?.url ?? '/');
  const headers = {
    ...commonHeaders(id, request),
    ...problem.headers,
    'content-type': PROBLEM_JSON,
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = problem;
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
