import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Remembers every route, and afterwards gives each known path a route for all other methods, which says 405. The
 * router then decides alone what is known: `/api/users/me` never matches as `/api/users/{id}`.
 *
 * Returns the function that adds those routes; call it once all others are there.
 */
export function closeRoutes(fastify: FastifyInstance): () => void {
  const methods = new Map<string, string[]>();
  fastify.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [methods.get(url) ?? [], method].flat());
  });
  return () => {
    const unsupported = EVERY_METHOD.filter((method) => !fastify.supportedMethods.includes(method));
    for (const method of unsupported) fastify.addHttpMethod(method, { hasBody: true });
    for (const [url, known] of [...methods]) {
      const allow = known.sort().join(', ');
      const method = EVERY_METHOD.filter((name) => !known.includes(name));
      fastify.route({ url, method, config: { allow }, exposeHeadRoute: false, handler: () => undefined });
    }
  };
}

/** CONNECT never reaches the router. */
const EVERY_METHOD = METHODS.filter((method) => method !== 'CONNECT');

/** The template of a request's route. One that only answers 405 is no resource. */
export function routeOf({ routeOptions: { url, config } }: FastifyRequest): string {
  return url === undefined || config.allow !== undefined ? '/**' : url;
}
