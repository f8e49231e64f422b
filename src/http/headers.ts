import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** HSTS belongs to the TLS layer. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

/** An id that a client may choose. */
export const REQUEST_ID = /^[\w.-]{1,64}$/;

/** The request's own id when it is a harmless one, else a new one. */
export function requestId(request?: Pick<IncomingMessage, 'headers'>): string {
  const given = request?.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** KiB of a head, and of the objects for it: at least one. */
export function headSize({ url = '', rawHeaders }: IncomingMessage): number {
  return Math.max(1, [url, ...rawHeaders].join('').length / 1024);
}

/** Bytes of the body that follows a head; Infinity in chunks. */
export function bodyLength({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}

/** Most bytes of a body that Node reads before anybody wants them. */
const READ_AHEAD = 64 * 1024;

export const readAheadOf = (request: IncomingMessage): number => Math.min(bodyLength(request), READ_AHEAD);

/** Whether a body is longer than credentials. */
export const hasLongBody = (request: IncomingMessage): boolean => bodyLength(request) > 16 * 1024;

/** W3C Trace Context, level 1, section 3.2: version, trace-id, parent-id, flags; only later versions than 00 go on. */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-[^,]*)?$/;

const TRACES = new WeakMap<IncomingMessage, ReturnType<typeof spanIn>>();

/** The trace that `traceparent` names. One that is malformed, or sent twice, counts as none. */
export function traceOf(request: IncomingMessage): ReturnType<typeof spanIn> {
  const given = request.headers['traceparent'];
  if (typeof given !== 'string') return undefined;
  if (!TRACES.has(request)) TRACES.set(request, spanIn(given));
  return TRACES.get(request);
}

/** A span of its own for the request in its caller's trace. */
function spanIn(given: string) {
  const [, traceId] = TRACEPARENT.exec(given) ?? [];
  return traceId === undefined ? undefined : { traceId, spanId: randomBytes(8).toString('hex') };
}

/** Headers of every response, also of those that are sent before there is a request. */
export function commonHeaders(id: string, request?: IncomingMessage): Record<string, string> {
  const trace = request && traceOf(request);
  // Of the specification's draft for responses. The flags are 0: nothing is recorded here.
  const traceresponse = trace && { traceresponse: `00-${trace.traceId}-${trace.spanId}-00` };
  // The id first: behind a spread, Node 20 makes another hidden class for each object.
  return { 'x-request-id': id, ...traceresponse, ...SECURITY_HEADERS };
}
