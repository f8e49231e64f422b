import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

const ALLOWED = 'Authorization, Content-Type, Accept, X-Request-Id, If-Match, If-None-Match';
const EXPOSED = 'Location, ETag, X-Request-Id';
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-max-age': '3600', // seconds for which a browser may keep the response
};
/** In the query of a list, whose response may have a Link. */
const CURSOR = /[?&]cursor=/;

/** The one cross-origin policy: allowed origins get its headers, others none. */
export function corsHeaders(
  { url = '', headers: { origin = '' } }: Pick<IncomingMessage, 'url' | 'headers'>,
  origins: readonly string[],
): Record<string, string> {
  if (!origins.includes(origin)) return origins.length > 0 ? { vary: 'Origin' } : {};
  const exposed = CURSOR.test(url) ? `${EXPOSED}, Link` : EXPOSED;
  return { vary: 'Origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed };
}

/**
 * Every preflight is answered here, because it never carries a token: without CORS headers it fails in the browser, as it
 * should. An optional header is named to a client that asks for it. False for a request that still needs its response.
 */
export function answersPreflight(
  { method, raw, headers }: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
): boolean {
  const { origin = '', 'access-control-request-headers': requested = '' } = headers;
  const isPreflight =
    method === 'OPTIONS' && origin !== '' && headers['access-control-request-method'] !== undefined;
  reply.headers(corsHeaders(raw, origins));
  if (isPreflight) {
    const allowed = /idempotency-key/i.test(requested) ? `${ALLOWED}, Idempotency-Key` : ALLOWED;
    if (origins.includes(origin)) reply.headers({ ...PREFLIGHT, 'access-control-allow-headers': allowed });
    void reply.code(204).send();
  }
  return isPreflight;
}
