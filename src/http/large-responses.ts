import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { ProblemError } from '../common/problems/problem.js';

/** The bytes that responses may hold together until their clients have taken them. */
@Injectable()
export class ResponseMemory {
  private held = 0;

  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'responseMemory'>) {}

  /** Throws service-unavailable when so many more do not fit. Returns the function that gives them back. */
  hold(bytes: number): () => void {
    if (this.held + bytes > this.settings.responseMemory)
      throw new ProblemError('service-unavailable', 'Too many large responses are being sent.');
    this.held += bytes;
    return () => void (this.held -= bytes);
  }
}

/** In characters. A shorter response costs no more than the connection that it waits on, and is not counted. */
const SMALL = 16 * 1024;

/** Bounds the memory of all responses under way. */
export function boundResponses(fastify: FastifyInstance, memory: ResponseMemory): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (payload instanceof Readable) done(null, cutOffByReset(payload, reply.request));
    else if (typeof payload !== 'string' || payload.length <= SMALL) done(null, payload);
    else {
      const bytes = Buffer.from(payload); // a string would be copied, and held twice
      try {
        whenOver(reply, memory.hold(bytes.length));
      } catch (error) {
        reply.removeHeader('etag').removeHeader('location').removeHeader('link'); // they belong to what is not sent
        done(error as Error);
        return;
      }
      done(null, bytes);
    }
  });
}

/** Calls back once the response has gone, or its connection. */
function whenOver({ request, raw }: FastifyReply, then: () => void): void {
  if (request.socket.destroyed) then();
  else raw.once('close', then);
}

/** Nest ends the stream with its response, and gives an empty one for a HEAD. */
function cutOffByReset(stream: Readable, { socket }: FastifyRequest): Readable | string {
  if (socket.destroyed) return ''; // for a client that has gone Fastify would count a broken stream as a 500
  // In HTTP/1.0 a response has no length, and would be taken for whole if its connection were closed as usual.
  return stream.once('error', () => socket.resetAndDestroy());
}
