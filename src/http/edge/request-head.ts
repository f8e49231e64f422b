import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { malformedRequest, ProblemError } from '../problem/problem.js';
import { MAX_HEADERS_LENGTH, MAX_URI_LENGTH } from './node-errors.js';
import { countOf } from './headers.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Refused for its HTTP alone, whatever it is about. */
    isRefused: boolean;
  }
}

/** Of more header fields Node drops the rest without a word. */
const MAX_FIELDS = 1000;

/** Refuses what Node lets through: before the caller is known what nobody may send, and afterwards what we do not have. */
export function refuseBrokenHeads(fastify: FastifyInstance): void {
  fastify.decorateRequest('isRefused', false);
  fastify.addHook('onRequest', (request, _reply, done) => {
    const problem = faultOfHead(request.raw);
    request.isRefused = problem !== undefined;
    done(problem);
  });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const misframed = faultOfFraming(request.raw);
    if (misframed !== undefined) reply.header('connection', 'close');
    const problem = misframed ?? unknownExpectation(request.raw);
    request.isRefused = problem !== undefined;
    if (problem !== undefined) done(problem);
    else {
      const length = Number(request.headers['content-length'] ?? 0);
      if (isExpectedToContinue(request.raw) && length <= request.routeOptions.bodyLimit)
        sendContinue(reply.raw);
      done(null, payload);
    }
  });
}

function faultOfHead({ url = '', rawHeaders, httpVersion }: IncomingMessage): ProblemError | undefined {
  if (url.length > MAX_URI_LENGTH) return new ProblemError('uri-too-long');
  if (lengthOf(rawHeaders) > MAX_HEADERS_LENGTH) return new ProblemError('headers-too-large');
  if (rawHeaders.length >= 2 * MAX_FIELDS)
    return new ProblemError('headers-too-large', `There are ${MAX_FIELDS} header fields or more.`);
  if (httpVersion === '1.1' && countOf('host', rawHeaders) !== 1)
    return malformedRequest('The request must have exactly one Host header.'); // RFC 9112, section 3.2
  return undefined;
}

function lengthOf(texts: readonly string[]): number {
  let length = 0;
  for (const text of texts) length += text.length;
  return length;
}

/** HTTP/1.0 knows no expectations: there the field means nothing (RFC 9110, section 10.1.1). */
function expectationOf({ headers, httpVersion }: IncomingMessage): string | undefined {
  return httpVersion === '1.0' ? undefined : headers.expect;
}

function isExpectedToContinue(request: IncomingMessage): boolean {
  return expectationOf(request)?.toLowerCase() === '100-continue';
}

function unknownExpectation(request: IncomingMessage): ProblemError | undefined {
  if (expectationOf(request) === undefined || isExpectedToContinue(request)) return undefined;
  return new ProblemError('expectation-failed');
}

/** Node undoes the chunks alone: before them it passes over any coding, and the body would be read as if plain. */
function faultOfFraming({ headers }: IncomingMessage): ProblemError | undefined {
  const coding = headers['transfer-encoding']?.toLowerCase();
  if (coding === undefined || coding === 'chunked') return undefined;
  if (headers['content-length'] !== undefined)
    return malformedRequest('The length of the body is told in two ways.');
  return new ProblemError(
    'unsupported-media-type',
    'The body may be chunked, and must not be coded otherwise.',
  );
}

/** Behind the answers before it: Node would put it behind the answer that it announces. */
function sendContinue(response: ServerResponse): void {
  if (response.socket !== null) response.writeContinue();
  else response.once('socket', () => response.headersSent || response.writeContinue());
}
