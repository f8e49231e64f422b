import type { FastifyInstance } from 'fastify';

const ALLOWED = 'Authorization, Content-Type, Accept, X-Request-Id, If-Match, If-None-Match';
const EXPOSED = 'Location, ETag, X-Request-Id';
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-max-age': '3600', // seconds for which a browser may keep the response
};
/** In the query of a list, whose response may have a Link. */
const CURSOR = /[?&]cursor=/;

/**
 * The one cross-origin policy: allowed origins get its headers, others none. An optional header is named to a client
 * that asks for it. Every preflight is answered here, because it never carries a token: without CORS headers it fails in
 * the browser, as it should.
 */
export function applyCors(fastify: FastifyInstance, origins: readonly string[]): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { origin = '', 'access-control-request-headers': requested = '' } = request.headers;
    const isPreflight =
      request.method === 'OPTIONS' &&
      origin !== '' &&
      request.headers['access-control-request-method'] !== undefined;
    if (origins.length > 0) reply.header('vary', 'Origin');
    if (origins.includes(origin)) {
      const exposed = CURSOR.test(request.url) ? `${EXPOSED}, Link` : EXPOSED;
      const allowed = /idempotency-key/i.test(requested) ? `${ALLOWED}, Idempotency-Key` : ALLOWED;
      reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed });
      if (isPreflight) reply.headers({ ...PREFLIGHT, 'access-control-allow-headers': allowed });
    }
    if (isPreflight) void reply.code(204).send();
    else done();
  });
}
