import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** On every response, also where Node has no request yet. HSTS belongs to the TLS layer. */
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
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}
