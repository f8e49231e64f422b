import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { malformedRequest, PROBLEM_JSON, problemDocument, ProblemError } from '../problem/problem.js';
import { type Exchange, exchangesOn } from './exchanges.js';
import { SECURITY_HEADERS } from './headers.js';
import { closeInStages, isClosing } from './lingering-close.js';
import type { Requests } from './requests.js';
import { traceHeaders } from './trace-context.js';

/** A longer target is 414; RFC 9112, section 3, asks for at least 8,000 octets. */
export const MAX_URI_LENGTH = 8192;
/**
 * Bytes of the request line and the header fields; more are 431. Less than Node reads at once, so that the line is mostly
 * at hand, and shows whether it is the target that is too long.
 */
export const MAX_HEAD_SIZE = 16_384;

/** Node's parser errors carry what was read so far. */
interface ClientError {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** Connections whose refusal waits for the responses before it. */
const WAITING = new WeakSet<Duplex>();

/** Answers the requests that Node's server would answer or drop by itself. */
export class Refusals {
  constructor(
    private readonly server: Server,
    private readonly requests: Requests,
  ) {
    // Like any other request, so that it is authenticated, counted and answered in its turn; see `request-head.ts`.
    const asRequest = (request: IncomingMessage, response: ServerResponse): void => {
      server.emit('request', request, response);
    };
    server.on('checkContinue', asRequest);
    server.on('checkExpectation', asRequest);
    server.on('connect', (request: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => socket.destroy()); // Node has taken its own listeners off
      const problem = new ProblemError('method-not-allowed', 'This is no proxy.', {
        headers: { allow: 'GET, HEAD, POST, PUT, DELETE' },
      });
      this.refuseInTurn(socket, problem, request);
    });
    server.on('clientError', (error: ClientError, socket: Duplex) => this.refuseBroken(error, socket));
  }

  /** Answers the faults that Node finds before there is a request, or while it comes: syntax, long headers, a slow body. */
  private refuseBroken(error: ClientError, socket: Duplex): void {
    if (isClosing(socket) || error.code === 'HPE_CLOSED_CONNECTION') return;
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else this.refuseInTurn(socket, problemOf(error));
  }

  /**
   * Refuses the next request on a connection, and ends it. Responses go out in the order of the requests and one for
   * each, so that no client takes the refusal for the response to an earlier request.
   */
  private refuseInTurn(socket: Duplex, problem: ProblemError, request?: IncomingMessage): void {
    if (WAITING.has(socket)) return;
    WAITING.add(socket);
    const unsent = exchangesOn(this.server, socket).findLast(isUnsent);
    if (unsent === undefined) this.refuse(socket, problem, request);
    else unsent.response.once('close', () => this.refuse(socket, problem, request));
  }

  private refuse(socket: Duplex, problem: ProblemError, request?: IncomingMessage): void {
    if (socket.destroyed || isClosing(socket)) return;
    const last = exchangesOn(this.server, socket).at(-1);
    const broken = last?.request.complete === false ? last : undefined;
    if (broken?.response.headersSent !== true) {
      const refused = request ?? broken?.request;
      writeProblem(socket, problem, this.requests.refuse(problem.slug, refused), refused);
    } // else the body broke behind its response
    closeInStages(socket);
  }
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
    ...SECURITY_HEADERS,
    ...(request === undefined ? {} : traceHeaders(request)),
    ...problem.headers,
    'content-type': PROBLEM_JSON,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': id,
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = problem;
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
