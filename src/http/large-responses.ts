import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JsonParts } from '../common/json/exact-json.js';
import type { ClientMemory } from './client-memory.js';

/** Characters. A shorter response costs no more than its connection, and is not counted. */
const SMALL = 16 * 1024;

/** Bounds the memory of all responses under way. */
export function boundResponses(fastify: FastifyInstance, memory: ClientMemory): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (!(payload instanceof JsonParts) && (typeof payload !== 'string' || payload.length <= SMALL)) {
      done(null, payload);
      return;
    }
    const sent = typeof payload === 'string' ? payload : cutOffByReset(payload, request);
    const length = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.source.longest;
    (length === 0 ? Promise.resolve() : memory.holdResponse(request, length)).then(
      // A string would be copied, and held twice.
      () => done(null, sent instanceof Readable ? sent : Buffer.from(sent)),
      (error: unknown) => {
        if (typeof payload !== 'string') payload.destroy();
        reply.removeHeader('etag').removeHeader('location').removeHeader('link'); // of a response that is not sent
        done(error as Error);
      },
    );
  });
}

/** A failure midway resets the connection. A stream that nobody reads ends, and with it what it holds. */
function cutOffByReset(stream: Readable, { socket, method }: FastifyRequest): Readable | string {
  if (socket.destroyed || method === 'HEAD') stream.destroy();
  if (socket.destroyed) return ''; // for a client that has gone Fastify would count a broken stream as a 500
  if (method === 'HEAD') return Readable.from([]); // Fastify reads it to its end
  // In HTTP/1.0 a response has no length, and would be taken for whole if its connection were closed as usual.
  return stream.once('error', () => socket.resetAndDestroy());
}
