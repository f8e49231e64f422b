import type { FastifyReply } from 'fastify';

/** The header `Vary` with one more name, beside what the CORS plugin has put into it. */
export function varyBy(name: string, reply: FastifyReply): string {
  return [reply.getHeader('vary') ?? [], name].flat().join(', ');
}
