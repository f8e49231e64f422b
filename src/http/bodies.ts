import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ANYBODY, type Taker } from '../common/concurrency/places.js';
import type { Settings } from '../config/env.js';
import { malformedRequest, ProblemError } from '../common/problems/problem.js';
import { addToFingerprint } from './idempotency-key.js';
import type { ClientMemory } from './client-memory.js';
import { bodyLength } from './headers.js';
import type { Requests } from './requests.js';
import { endedEarly, FILE_TYPES, UploadedFile } from './uploaded-file.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    takesFile?: boolean;
  }
}

/** Method decorator: the body is an {@link UploadedFile}, and no JSON. */
export const TakesFile = (): MethodDecorator & ClassDecorator => RouteConfig({ takesFile: true });

const JSON_TYPE = 'application/json';
/** Bytes of a body to sign up or in, which anybody may send, also where BODY_LIMIT is more. */
const ANONYMOUS_LIMIT = 1024 * 1024;

/** Bytes of bodies read in a second for one account, or for everybody without one. Faster clients would keep the process busy. */
const FASTEST = 8 * 1024 * 1024;
/** Bytes. Longer bodies take milliseconds to read, count against that rate, and are read so many at a time. */
const LARGE = 64 * 1024;
/** Bytes reserved at first for a body without a Content-Length. */
const FIRST_PART = 16 * 1024;

/** Milliseconds that an account may be ahead of its rate. */
const AHEAD = 100;

/** The bytes that each account has sent, in all of its requests together. */
class Rate {
  /** Account → when it has made up for the bytes that it took, by `performance.now()`. */
  private readonly ends = new Map<string, number>();

  /** Waits until the account has made up for the bytes before. */
  async take({ id }: Taker, bytes: number): Promise<void> {
    const now = performance.now();
    const start = Math.max(now, this.ends.get(id) ?? 0);
    this.ends.set(id, start + (bytes * 1000) / FASTEST);
    if (start > now + AHEAD) await sleep(start - now - AHEAD);
    for (const [other, end] of this.ends) if (end <= now) this.ends.delete(other);
  }
}

/**
 * Replaces every body parser of Fastify's. A body is read once there is room for it. JSON stays bytes until its fields are
 * read; a file is read by its handler, where it {@link TakesFile}, and there alone.
 */
export function readBodies(
  fastify: FastifyInstance,
  { bodyLimit, imports }: Settings,
  requests: Requests,
  memory: ClientMemory,
): void {
  const rate = new Rate();
  fastify.addHook('onRoute', (route) => {
    if (route.config?.takesFile === true) route.bodyLimit = imports.bodyLimit;
    if (route.url.startsWith('/api/auth/')) route.bodyLimit = Math.min(bodyLimit, ANONYMOUS_LIMIT);
  });
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const { method, raw, headers } = request;
    if (method === 'DELETE' && bodyLength(raw) === 0) delete headers['content-type']; // of no body
    try {
      memory.holdHead(request);
      done(faultOf(request), payload);
    } catch (error) {
      const refuse = (): void => done(error as Error);
      void requests.refusalTurn().then(refuse);
    }
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(JSON_TYPE, (request: FastifyRequest, body: Readable) =>
    readJson(request, body, rate, requests, memory),
  );
  fastify.addContentTypeParser([...FILE_TYPES], (request: FastifyRequest, body: Readable, done) => {
    const pace = (bytes: number): Promise<void> => rate.take(request.caller ?? ANYBODY, bytes);
    done(null, new UploadedFile(request, body, pace, () => requests.pauseClock(request)));
  });
}

/** The bytes of a JSON body. */
async function readJson(
  request: FastifyRequest,
  body: Readable,
  rate: Rate,
  requests: Requests,
  memory: ClientMemory,
): Promise<Buffer> {
  const { caller, headers, routeOptions } = request;
  const isExact = headers['content-length'] !== undefined;
  const limit = Number(headers['content-length'] ?? routeOptions.bodyLimit);
  const pace = async (length: number): Promise<void> => {
    if (length > LARGE) await rate.take(caller ?? ANYBODY, length);
  };
  const startClock = requests.pauseClock(request);
  const bytes = await memory.holdBody(request, limit, async () => {
    if (isExact) await pace(limit);
    startClock();
    const whole = await collected(body, limit, isExact, requests.readingTurns(request));
    if (!isExact) await pace(whole.length); // unknown before
    return whole;
  });
  addToFingerprint(request, bytes);
  if (!isUtf8(bytes)) throw notUtf8();
  await memory.holdValues(request, bytes.length);
  if (request.raw.socket.destroyed) throw endedEarly(); // what it holds counts no more once its client has gone
  return bytes;
}

/**
 * The whole body of that length, or of any length up to the limit. Its parts, which may be single bytes, are put together as
 * they come, with a wait after each 64 KiB. Throws payload-too-large, and malformed-request for one that breaks off.
 */
async function collected(
  body: Readable,
  limit: number,
  isExact: boolean,
  wait: () => Promise<void>,
): Promise<Buffer> {
  let bytes = Buffer.allocUnsafe(isExact ? limit : Math.min(limit, FIRST_PART));
  let length = 0;
  if (body.destroyed) throw endedEarly();
  try {
    await new Promise<void>((resolve, reject) => {
      body.once('end', resolve).once('error', () => reject(endedEarly()));
      body.on('data', (chunk: Buffer) => {
        const start = length;
        length += chunk.length;
        if (length > limit) {
          reject(tooLarge());
          return;
        }
        if (length > bytes.length) bytes = Buffer.concat([bytes], Math.min(limit, 2 * length));
        chunk.copy(bytes, start);
        if (Math.floor(start / LARGE) === Math.floor(length / LARGE)) return;
        body.pause();
        void wait().then(() => body.resume());
      });
    });
    return bytes.subarray(0, length);
  } finally {
    [bytes, length] = [Buffer.of(), Infinity]; // the request keeps its listeners for as long as its connection
  }
}

/** Ends the connection: nobody reads what the client still sends. */
function tooLarge(): ProblemError {
  return new ProblemError('payload-too-large', undefined, { headers: { connection: 'close' } });
}

/** The fault of another media type or charset, of any Content-Encoding, and of a length beyond the limit. */
function faultOf(request: FastifyRequest): ProblemError | undefined {
  const { raw, headers, mediaType, routeOptions } = request;
  const { takesFile = false } = routeOptions.config;
  const isFile = FILE_TYPES.some((type) => type === mediaType);
  if (isFile !== takesFile) {
    const detail = takesFile ? `The body must be ${FILE_TYPES.join(' or ')}.` : undefined;
    return new ProblemError('unsupported-media-type', detail);
  }
  if (raw.method === 'GET' || raw.method === 'HEAD' || bodyLength(raw) === 0) return undefined;
  if (!isFile && mediaType !== JSON_TYPE) return undefined; // Fastify refuses it
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? [];
  if (!/^utf-8$/i.test(charset))
    return new ProblemError('unsupported-media-type', 'The body must be in UTF-8.');
  if (!/^identity$/i.test(headers['content-encoding'] ?? 'identity'))
    return new ProblemError('unsupported-media-type', 'The body must not have a Content-Encoding.');
  return Number(headers['content-length'] ?? 0) > routeOptions.bodyLimit ? tooLarge() : undefined;
}

export const notUtf8 = () => malformedRequest('The body is not valid UTF-8.');
