import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Settings } from '../../config/settings.js';
import { malformedRequest, ProblemError } from '../problem/problem.js';
import { addToFingerprint } from './idempotency-key.js';
import { FILE_TYPES, UploadedFile } from './uploaded-file.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    takesFile?: boolean;
  }
}

/** On a handler: its body is an {@link UploadedFile}, and no JSON. */
export const TakesFile = (): MethodDecorator & ClassDecorator => RouteConfig({ takesFile: true });

/** Bytes of a body to sign up or in, which anybody may send. */
const ANONYMOUS_LIMIT = 16 * 1024;
/** Bytes of a body that takes milliseconds to read. */
const LARGE = 64 * 1024;

/**
 * Replaces every body parser of Fastify's. JSON stays text until its fields are read, so that the values of one hostile
 * body at a time are in memory; a file is read by its handler, where it {@link TakesFile}, and there alone.
 */
export function readBodies(fastify: FastifyInstance, { bodyLimit, imports }: Settings): void {
  fastify.addHook('onRoute', (route) => {
    if (route.config?.takesFile === true) route.bodyLimit = imports.bodyLimit;
    if (route.url.startsWith('/api/auth/')) route.bodyLimit = Math.min(bodyLimit, ANONYMOUS_LIMIT);
  });
  fastify.addHook('preParsing', (request, _reply, payload, done) => done(otherType(request), payload));
  fastify.removeAllContentTypeParsers();
  let lastTurn = Promise.resolve();
  const textOf = async (request: FastifyRequest, body: Buffer): Promise<string> => {
    if (body.length > LARGE) await (lastTurn = lastTurn.then(() => nextTurn())); // other requests come between two
    addToFingerprint(request, body);
    requireUtf8(request);
    if (!isUtf8(body)) throw notUtf8();
    return body.toString().replace(/^\ufeff/, ''); // without a byte order mark
  };
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, textOf);
  for (const type of FILE_TYPES)
    fastify.addContentTypeParser(type, (request: FastifyRequest, body: Readable, done) => {
      requireUtf8(request);
      const isTooLarge = Number(request.headers['content-length'] ?? 0) > imports.bodyLimit;
      if (isTooLarge) done(new ProblemError('payload-too-large'));
      else done(null, new UploadedFile(type, request, body, imports.bodyLimit));
    });
}

/** Of a request without a type at all Fastify says it, where there is a body. */
function otherType({ mediaType, routeOptions }: FastifyRequest): ProblemError | undefined {
  const { takesFile = false } = routeOptions.config;
  if (FILE_TYPES.some((type) => type === mediaType) === takesFile) return undefined;
  const detail = takesFile ? `The body must be ${FILE_TYPES.join(' or ')}.` : undefined;
  return new ProblemError('unsupported-media-type', detail);
}

/** Throws unsupported-media-type for another charset, and for any Content-Encoding. */
function requireUtf8({ headers }: FastifyRequest): void {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? [];
  if (!/^utf-?8$/i.test(charset))
    throw new ProblemError('unsupported-media-type', 'The body must be in UTF-8.');
  if (!/^identity$/i.test(headers['content-encoding'] ?? 'identity'))
    throw new ProblemError('unsupported-media-type', 'The body must not have a Content-Encoding.');
}

export function notUtf8(): ProblemError {
  return malformedRequest('The body is not valid UTF-8.');
}
