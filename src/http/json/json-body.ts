import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { addToFingerprint } from '../edge/idempotency-key.js';
import { malformedRequest, ProblemError } from '../problem/problem.js';
import { isObject, type JsonObject, parseJson } from './json-parser.js';

/** Bytes of a body to sign up or in, which anybody may send. */
const ANONYMOUS_LIMIT = 16 * 1024;
/** Bytes of a body that takes milliseconds to read. */
const LARGE = 64 * 1024;

/**
 * Replaces every body parser of Fastify's by one for JSON. The body stays text until {@link bodyObject} reads it, right
 * before its fields are, so that the values of one hostile body at a time are in memory.
 */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const { bodyLimit = ANONYMOUS_LIMIT } = fastify.initialConfig;
    if (route.url.startsWith('/api/auth/')) route.bodyLimit = Math.min(bodyLimit, ANONYMOUS_LIMIT);
  });
  fastify.removeAllContentTypeParsers();
  let lastTurn = Promise.resolve();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length > LARGE) await (lastTurn = lastTurn.then(() => nextTurn())); // other requests come between two
      addToFingerprint(request, body);
      requireUtf8(request);
      if (!isUtf8(body)) throw notUtf8();
      return body.toString().replace(/^\ufeff/, ''); // without a byte order mark
    },
  );
}

/** Reads the body of a request. Throws malformed-request. */
export function bodyObject(body: unknown): JsonObject {
  if (typeof body !== 'string' || body === '')
    throw malformedRequest('A JSON object is required as the body.');
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw malformedRequest(`The body is not valid JSON: ${error.message}.`);
  }
  if (!isObject(value)) throw malformedRequest('The body must be a JSON object.');
  return value;
}

/** Throws unsupported-media-type for another charset, and for any Content-Encoding. */
export function requireUtf8({ headers }: FastifyRequest): void {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? [];
  if (!/^utf-?8$/i.test(charset))
    throw new ProblemError('unsupported-media-type', 'The body must be in UTF-8.');
  if (!/^identity$/i.test(headers['content-encoding'] ?? 'identity'))
    throw new ProblemError('unsupported-media-type', 'The body must not have a Content-Encoding.');
}

export function notUtf8(): ProblemError {
  return malformedRequest('The body is not valid UTF-8.');
}
