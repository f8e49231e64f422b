import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AnswerInParts } from './answer-in-parts.js';
import type { AnswerMemory } from './answer-memory.js';
import { closeUnreadAnswers } from './unread-answers.js';

/** In characters: what is shorter costs no more than the connection it waits on, and is not counted. */
const SMALL = 16 * 1024;

/** Bounds what the answers under way hold together, and for how long when nobody reads them; sends those in parts. */
export function boundAnswers(fastify: FastifyInstance, memory: AnswerMemory, timeout: number): void {
  closeUnreadAnswers(fastify.server, timeout);
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    done(null, payload instanceof AnswerInParts ? streamOf(payload, request, reply) : payload);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length <= SMALL) {
      done(null, payload);
      return;
    }
    const bytes = Buffer.byteLength(payload);
    try {
      memory.hold(bytes);
    } catch (error) {
      reply.removeHeader('etag').removeHeader('location').removeHeader('link'); // they belong to what is not sent
      done(error as Error);
      return;
    }
    whenOver(request, reply, () => memory.release(bytes));
    done(null, payload);
  });
}

function streamOf(answer: AnswerInParts, request: FastifyRequest, reply: FastifyReply): Readable {
  whenOver(request, reply, () => answer.leave());
  reply.headers(answer.headers);
  if (request.method === 'HEAD') return Readable.from([]);
  const { socket } = request.raw;
  // What has no length, as in HTTP/1.0, would be taken for whole if the connection were closed as ever.
  return answer.toStream().once('error', () => socket.resetAndDestroy());
}

/** What is to be done for the answers under way on a connection when it closes. */
const UNDER_WAY = new WeakMap<Socket, Set<() => void>>();

/**
 * Once the answer has gone, or its connection. The response itself says nothing when its connection closes while it
 * still waits for the one before it.
 */
export function whenOver(
  request: FastifyRequest,
  { raw: response }: Pick<FastifyReply, 'raw'>,
  then: () => void,
): void {
  const { socket } = request.raw;
  if (socket.destroyed) {
    then();
    return;
  }
  const underWay = underWayOn(socket);
  const over = (): void => {
    if (underWay.delete(over)) then();
  };
  underWay.add(over);
  response.once('close', over);
}

function underWayOn(socket: Socket): Set<() => void> {
  let underWay = UNDER_WAY.get(socket);
  if (underWay === undefined) {
    UNDER_WAY.set(socket, (underWay = new Set()));
    const all = underWay;
    socket.once('close', () => all.forEach((over) => over()));
  }
  return underWay;
}
