import type { FastifyInstance } from 'fastify';
import { varyBy } from '../http/edge/negotiation.js';

type ConstraintStrategy = Parameters<FastifyInstance['addConstraintStrategy']>[0];
type Handler = Parameters<ReturnType<ConstraintStrategy['storage']>['set']>[1];

/**
 * Sends a browser that comes to `/` on to the page. The route is there only for whoever asks for HTML by name: to a
 * program `/` is an unknown path, with all that holds for those.
 */
export function redirectBrowsers(fastify: FastifyInstance, page: string): void {
  fastify.addConstraintStrategy({
    name: 'asksForHtml',
    storage() {
      const handlers = new Map<unknown, Handler>();
      return {
        get: (asks) => handlers.get(asks) ?? null,
        set: (asks, handler) => void handlers.set(asks, handler),
      };
    },
    deriveConstraint: ({ headers }) => /\btext\/html\b/i.test(headers.accept ?? ''),
  });
  fastify.get('/', { constraints: { asksForHtml: true } }, (_request, reply) =>
    reply.header('vary', varyBy('Accept', reply)).redirect(page),
  );
}
