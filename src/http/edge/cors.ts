import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const ALLOWED = ['Authorization', 'Content-Type', 'Accept', 'X-Request-Id', 'If-Match', 'If-None-Match'];
const EXPOSED = ['Location', 'ETag', 'X-Request-Id'];
/** In the query of a list. */
const CURSOR = /[?&]cursor=/;

/** The one cross-origin policy. An optional header is named to a client that asks for it. */
export function corsPolicy(origins: readonly string[]): FastifyCorsOptions {
  return {
    delegator: ({ headers, url }, done) => {
      const asked = String(headers['access-control-request-headers']).toLowerCase();
      done(null, {
        ...policyFor(origins),
        ...(asked.includes('idempotency-key') && { allowedHeaders: [...ALLOWED, 'Idempotency-Key'] }),
        ...(CURSOR.test(url) && { exposedHeaders: [...EXPOSED, 'Link'] }),
      });
    },
  };
}

function policyFor(origins: readonly string[]): FastifyCorsOptions {
  return {
    // A function, because a list would put CORS headers on responses to origins that are not in it.
    origin: (origin, done) => done(null, origin !== undefined && origins.includes(origin) ? origin : false),
    methods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
    allowedHeaders: ALLOWED,
    exposedHeaders: EXPOSED,
    credentials: false,
    maxAge: 3600,
    strictPreflight: false,
  };
}

/**
 * Answers the preflights that the policy leaves: those of other origins, or all where there is no policy. A preflight
 * never carries a token, so the access rules must not see it; without CORS headers it fails in the browser, as it should.
 */
export function answerOtherPreflights(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': method } = request.headers;
    if (request.method === 'OPTIONS' && origin !== undefined && method !== undefined)
      void reply.code(204).send();
    else done();
  });
}
