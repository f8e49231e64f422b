import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { traceOf } from './trace-context.js';

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

/** On every response, also where Node has no request yet. */
export function commonHeaders(id: string, request?: IncomingMessage): Record<string, string> {
  const trace = request && traceOf(request);
  // Of the specification's draft for responses. The flags are 0: nothing is recorded here.
  const traceresponse = trace && { traceresponse: `00-${trace.traceId}-${trace.spanId}-00` };
  return { ...SECURITY_HEADERS, ...traceresponse, 'x-request-id': id };
}
