import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { malformedRequest, PROBLEM_JSON, problemDocument, ProblemError } from '../common/problems/problem.js';
import { corsHeaders } from './cors.js';
import { commonHeaders } from './headers.js';
import { boundChunks, type Parser } from './chunks.js';
import { closeInStages } from './lingering-close.js';
import type { Exchange } from './exchange.js';
import type { Requests } from './requests.js';

/** A longer target is 414; RFC 9112, section 3, asks for at least 8,000 octets. */
export const MAX_URI_LENGTH = 8192;
/** Bytes of a head; more are 431. Less than Node reads at once, so that a target that is too long mostly shows. */
export const MAX_HEAD_SIZE = 16_384;
/** Fields of a head; more are 431. */
export const MAX_HEADER_FIELDS = 100;

const NO_PROXY = new ProblemError('method-not-allowed', 'This server is not a proxy.', {
  headers: { allow: 'GET, HEAD, POST, PUT, DELETE' },
});

/** The socket of a connection, with what its types lack. The requests on it have its high-water mark. */
type ParsedSocket = Socket & { readonly parser: Parser; readonly _readableState: { highWaterMark: number } };

/** Node's parser errors carry what was read so far. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** Refuses the next request of a connection; its head as far as it is known. */
type Refuse = (socket: Duplex, problem: ProblemError, request?: IncomingMessage) => void;

/** Answers the requests that Node's server would answer or drop by itself. */
export function refuseForNode(server: Server, requests: Requests): void {
  const refuse = refusalsOf(requests);
  server.maxHeadersCount = 0; // Node's later releases refuse more without telling whose request it was
  server.on('connection', (socket: ParsedSocket) => boundHeads(socket, requests, refuse));
  // Like any other request, so that it is authenticated, counted and answered in its turn; see `request-head.ts`.
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (...request: unknown[]) => server.emit('request', ...request));
  // Faults that Node finds before there is a request, or while it comes: syntax, long headers, a slow body
  server.on('clientError', (error: ClientError, socket) => {
    if (socket.writableEnded || error.code === 'HPE_CLOSED_CONNECTION') return;
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else refuse(socket, problemOf(error));
  });
}

/** A crowd of broken requests delays nobody else: each is refused in a turn of its own. */
function refusalsOf(requests: Requests): Refuse {
  const refused = new WeakSet<Duplex>(); // further faults of a connection are not refused
  return (socket, problem, request) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    void requests.refusalTurn().then(() => refuseInOrder(requests, socket, problem, request));
  };
}

/**
 * Passes on no CONNECT, no head that has too many fields or too many requests before it, and nothing that follows: it may be
 * their body.
 */
function boundHeads(socket: ParsedSocket, requests: Requests, refuse: Refuse): void {
  const { parser } = socket;
  const take = parser.onIncoming;
  let goesOn = true;
  const isTaken = (request: IncomingMessage): boolean => {
    try {
      checkHead(request);
      return requests.haveRoom(request);
    } catch (error) {
      refuse(socket, error as ProblemError, request);
      return false;
    }
  };
  parser.onIncoming = (request, keepAlive) => {
    goesOn &&= isTaken(request);
    if (goesOn) return take(request, keepAlive);
    request.upgrade = false; // else Node takes its listeners off the socket, and an error of it ends the process
    return 2;
  };
  boundFields(parser);
  boundChunks(socket, parser);
  // Node reads ahead of a body until so many bytes wait. Each packet, which may be a single byte, becomes a buffer of its own.
  socket._readableState.highWaterMark = 0;
}

/** Throws headers-too-large, and method-not-allowed. */
function checkHead({ rawHeaders, method }: IncomingMessage): void {
  if (rawHeaders.length > 2 * MAX_HEADER_FIELDS) throw new ProblemError('headers-too-large');
  if (method === 'CONNECT') throw NO_PROXY;
}

/** Node makes strings of all fields: half a millisecond for 16 KiB. The next user of the parser may have a bound of its own. */
function boundFields(parser: Parser): void {
  const { kOnHeaders } = parser.constructor;
  const keep = parser[kOnHeaders];
  const most = (): number => parser.maxHeaderPairs || 2 * MAX_HEADER_FIELDS + 1;
  const get = (): unknown => (parser._headers.length < most() ? keep : undefined);
  Object.defineProperty(parser, kOnHeaders, { get, configurable: true });
}

/**
 * Refuses the next request on a connection, and ends it. Responses go out in the order of the requests and one for
 * each, so that no client takes the refusal for the response to an earlier request.
 */
function refuseInOrder(
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
      const head = refused.request;
      const cors = head && corsHeaders(head, requests.settings.corsAllowedOrigins);
      writeProblem(socket, problem, { ...commonHeaders(id, head), ...cors }, head);
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

function problemOf(error: ClientError): ProblemError {
  if (error instanceof ProblemError) return error; // the service's own
  const { code, rawPacket } = error;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ProblemError('request-timeout');
  if (code !== 'HPE_HEADER_OVERFLOW') return malformedRequest('The request is not well-formed HTTP.');
  const packet = String(rawPacket);
  const line = packet.indexOf('\r\n');
  if (/^[A-Z]+ /.test(packet) && (line === -1 || line > MAX_URI_LENGTH))
    return new ProblemError('uri-too-long');
  return new ProblemError('headers-too-large');
}

/** Writes a problem to a socket that has no reply. */
function writeProblem(
  socket: Duplex,
  problem: ProblemError,
  common: Record<string, string>,
  request?: IncomingMessage,
): void {
  const body = problemDocument(problem, request?.url ?? '/');
  const headers = {
    ...common,
    ...problem.headers,
    'content-type': PROBLEM_JSON,
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = problem;
  const content = request?.method === 'HEAD' ? '' : body;
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${content}`);
}
