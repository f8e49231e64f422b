import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { JsonSource, parseValue } from './json-parser.js';
import { malformedRequest, ProblemError } from '../problem/problem.js';
import { keepBody } from '../edge/idempotency-key.js';

/** The parser recurses; a bound far below the stack's keeps a hostile body a 400. */
export const MAX_DEPTH = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** In bytes, where nobody has said yet who they are: more than anybody needs to sign up or in. */
const ANONYMOUS_LIMIT = 16 * 1024;

/** Replaces every body parser of Fastify's by one: a JSON object in UTF-8, checked, and read field by field later. */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const { bodyLimit = ANONYMOUS_LIMIT } = fastify.initialConfig;
    if (route.url.startsWith('/api/auth/')) route.bodyLimit = Math.min(bodyLimit, ANONYMOUS_LIMIT);
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length > LARGE) await turn();
      keepBody(request, body);
      return readBody(request, body);
    },
  );
}

/** In bytes: from here on reading a body takes milliseconds. */
const LARGE = 64 * 1024;

let lastTurn: Promise<void> = Promise.resolve();

/** Large bodies are read one at a time, and between two of them everybody else has a turn. */
async function turn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}

/** The body as an object to be read, or undefined for an empty one. Throws 400 or 415. */
function readBody(request: FastifyRequest, bytes: Buffer): JsonSource | undefined {
  const text = textOf(request, bytes);
  if (text === '') return undefined;
  const value = parse(text);
  if (value instanceof JsonSource && !value.isArray) return value;
  throw malformedRequest('The body must be a JSON object.');
}

/** The body as text, without a byte order mark. Throws 400 or 415 where it is none in UTF-8. */
export function textOf(request: FastifyRequest, bytes: Buffer): string {
  refuseOtherEncodings(request);
  return decode(bytes);
}

function refuseOtherEncodings(request: FastifyRequest): void {
  const charset =
    /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!['utf-8', 'utf8'].includes(charset.toLowerCase())) {
    throw new ProblemError('unsupported-media-type', 'The body must be in UTF-8.');
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new ProblemError('unsupported-media-type', 'The body must not have a Content-Encoding.');
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformedRequest('The body is not valid UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return parseValue(text, MAX_DEPTH);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw malformedRequest(`The body is not valid JSON: ${error.message}.`);
  }
}
