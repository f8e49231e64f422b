import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.js';
import { malformedRequest, ProblemError } from '../common/problems/problem.js';
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

/**
 * Replaces every body parser of Fastify's. JSON stays bytes until its fields are read, so that the text and values of one
 * hostile body at a time are in memory; a file is read by its handler, where it {@link TakesFile}, and there alone.
 */
export function readBodies(fastify: FastifyInstance, { bodyLimit, imports }: Settings): void {
  fastify.addHook('onRoute', (route) => {
    if (route.config?.takesFile === true) route.bodyLimit = imports.bodyLimit;
    if (route.url.startsWith('/api/auth/')) route.bodyLimit = Math.min(bodyLimit, ANONYMOUS_LIMIT);
  });
  fastify.addHook('preParsing', (request, _reply, payload, done) => done(otherType(request), payload));
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    addToFingerprint(request, body);
    done(otherEncoding(request) ?? (isUtf8(body) ? null : notUtf8()), body);
  });
  for (const type of FILE_TYPES)
    fastify.addContentTypeParser(type, (request: FastifyRequest, body: Readable, done) => {
      const isTooLarge = Number(request.headers['content-length'] ?? 0) > imports.bodyLimit;
      const fault = otherEncoding(request) ?? (isTooLarge ? new ProblemError('payload-too-large') : null);
      done(fault, new UploadedFile(type, request, body, imports.bodyLimit));
    });
}

/** Of a request without a type at all Fastify says it, where there is a body. */
function otherType({ mediaType, routeOptions }: FastifyRequest): ProblemError | undefined {
  const { takesFile = false } = routeOptions.config;
  if (FILE_TYPES.some((type) => type === mediaType) === takesFile) return undefined;
  const detail = takesFile ? `The body must be ${FILE_TYPES.join(' or ')}.` : undefined;
  return new ProblemError('unsupported-media-type', detail);
}

/** The fault of another charset, and of any Content-Encoding. */
function otherEncoding({ headers }: FastifyRequest): ProblemError | undefined {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? [];
  if (!/^utf-?8$/i.test(charset))
    return new ProblemError('unsupported-media-type', 'The body must be in UTF-8.');
  if (!/^identity$/i.test(headers['content-encoding'] ?? 'identity'))
    return new ProblemError('unsupported-media-type', 'The body must not have a Content-Encoding.');
  return undefined;
}

export function notUtf8(): ProblemError {
  return malformedRequest('The body is not valid UTF-8.');
}
