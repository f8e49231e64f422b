import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse } from 'lossless-json';
import { malformedRequest, ProblemError } from './problem.js';

/** A number of a request body, digit for digit as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** The parser recurses; a bound far below the stack's keeps a hostile body a 400. */
const MAX_DEPTH = 64;

/** The parser's reason may repeat what it stumbled over, however long that is. */
const MAX_REASON_LENGTH = 200;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Replaces every body parser of Fastify's by one: a JSON object in UTF-8, its numbers exact. */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, readBody(request, body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** The body as an object of own properties, or undefined for an empty one. Throws 400 or 415. */
function readBody(request: FastifyRequest, bytes: Buffer): unknown {
  refuseOtherEncodings(request);
  if (bytes.length === 0) return undefined;
  const value = parseJson(decode(bytes));
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

function parseJson(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH)
    throw malformedRequest(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  try {
    return parse(text, undefined, (token) => new JsonNumber(token));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const reason = error.message.slice(0, MAX_REASON_LENGTH).toWellFormed();
    throw malformedRequest(`The body is not valid JSON: ${reason}.`);
  }
}

/** The deepest nesting of brackets outside strings. Needs no valid JSON, only one pass over the text. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c /* \ */) i++;
      else if (char === 0x22 /* " */) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b /* { */ || char === 0x5b /* [ */) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d /* } */ || char === 0x5d /* ] */) depth--;
  }
  return deepest;
}
