import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEM_JSON, problemDocument, type ProblemError, type ProblemSlug } from '../problem/problem.js';
import { type Exchange, exchangesOn } from './exchanges.js';
import { requestId, SECURITY_HEADERS } from './headers.js';
import { traceHeaders } from './trace-context.js';
import { closeInStages, isClosing } from './lingering-close.js';

/** A request that was refused without a handler. The server emits it as `refusal`. */
export interface Refusal {
  /** As in the response's `X-Request-Id`. */
  readonly id: string;
  readonly slug: ProblemSlug;
  /** Of `performance.now()`. */
  readonly startedAt: number;
  /** Undefined when not even a head could be read. */
  readonly request: IncomingMessage | undefined;
}

/** Connections whose refusal waits for the responses before it. */
const WAITING = new WeakSet<Duplex>();

/**
 * Refuses the next request on a connection, and ends it. Responses go out in the order of the requests and one for
 * each, so that no client takes the refusal for the response to an earlier request.
 */
export function refuseInTurn(
  server: Server,
  socket: Duplex,
  problem: ProblemError,
  request?: IncomingMessage,
): void {
  if (WAITING.has(socket)) return;
  WAITING.add(socket);
  const startedAt = performance.now();
  const refuse = (): void => {
    if (socket.destroyed || isClosing(socket)) return;
    const last = exchangesOn(socket).at(-1);
    const broken = last?.request.complete === false ? last : undefined;
    if (broken?.response.headersSent !== true) {
      const refused = request ?? broken?.request;
      const id = refused === undefined ? randomUUID() : requestId(refused);
      writeProblem(socket, problem, id, refused);
      emitRefusal(server, { id, slug: problem.slug, startedAt, request: refused });
    } // else the body broke behind its response
    closeInStages(socket);
  };
  const unsent = exchangesOn(socket).findLast(isUnsent);
  if (unsent === undefined) refuse();
  else unsent.response.once('close', refuse);
}

/** Whether a response is still to come: none does for a broken request. */
function isUnsent({ request, response }: Exchange): boolean {
  return !response.writableFinished && (request.complete || response.headersSent);
}

export function emitRefusal(server: Server, refusal: Refusal): void {
  server.emit('refusal', refusal);
}

export function onRefusal(server: Server, listener: (refusal: Refusal) => void): void {
  server.on('refusal', listener);
}

/** Writes a problem to a socket that has no reply. */
function writeProblem(socket: Duplex, problem: ProblemError, id: string, request?: IncomingMessage): void {
  const document = problemDocument(problem, request?.url ?? '/');
  const body = JSON.stringify(document);
  const headers = {
    ...SECURITY_HEADERS,
    ...(request === undefined ? {} : traceHeaders(request)),
    ...problem.options.headers,
    'content-type': PROBLEM_JSON,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': id,
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${document.status} ${document.title}\r\n${lines.join('')}\r\n${body}`);
}
