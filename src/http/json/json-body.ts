import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JsonNumber, parseBody } from './json-parser.js';
import { malformedRequest, ProblemError } from '../problem/problem.js';

/** The parser recurses; a bound far below the stack's keeps a hostile body a 400. */
const MAX_DEPTH = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Replaces every body parser of Fastify's by one: a JSON object in UTF-8, its numbers exact. */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length > LARGE) await turn();
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

/** The body as an object of own properties, or undefined for an empty one. Throws 400 or 415. */
function readBody(request: FastifyRequest, bytes: Buffer): unknown {
  refuseOtherEncodings(request);
  if (bytes.length === 0) return undefined;
  const value = parse(decode(bytes));
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber))
    return value;
  throw malformedRequest('The body must be a JSON object.');
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
    return parseBody(text, MAX_DEPTH);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw malformedRequest(`The body is not valid JSON: ${error.message}.`);
  }
}
