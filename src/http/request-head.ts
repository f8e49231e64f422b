import type { IncomingMessage } from 'node:http';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { malformedRequest, ProblemError } from '../common/problems/problem.js';
import { bodyLength } from './headers.js';
import { MAX_DISCARDED_BYTES } from './lingering-close.js';
import { MAX_URI_LENGTH } from './refusals.js';
import type { Requests } from './requests.js';

/** Refuses faults that Node lets through: those of a head before the caller is known, unknown codings after. */
export function refuseBrokenHeads(fastify: FastifyInstance, requests: Requests): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    requests.route(request);
    done(faultOfHost(request.raw));
  });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const fault = faultOfFraming(request.raw) ?? faultOfEscapes(request);
    if (fault === undefined && isToContinue(request)) reply.raw.writeContinue();
    done(fault, payload);
  });
}

/** Whether what follows a request on its connection is not read. */
export function isLast(request: IncomingMessage): boolean {
  // Two framings, which Node 20 takes where an empty Transfer-Encoding comes first, have no clear end.
  const isLong = !request.complete && bodyLength(request) > MAX_DISCARDED_BYTES;
  if (isLong || faultOfFraming(request) !== undefined) return true;
  // Node drops requests that come together with an offer to upgrade: their clients would wait for responses.
  return request.headers.upgrade !== undefined;
}

/** Looked for after preflights, because a page can read the 414 only when its preflight has succeeded. */
export function faultOfTarget({ url }: FastifyRequest): ProblemError | undefined {
  return url.length > MAX_URI_LENGTH ? new ProblemError('uri-too-long') : undefined;
}

function faultOfHost({ headers, httpVersion }: IncomingMessage): ProblemError | undefined {
  if (httpVersion === '1.1' && (headers.host === undefined || headers.host.includes(',')))
    return malformedRequest('The request must have exactly one Host header.'); // RFC 9112, section 3.2
  return undefined;
}

/** HTTP/1.0 knows no expectations, and others mean nothing (RFC 9110, section 10.1.1). */
function isToContinue(request: FastifyRequest): boolean {
  const { headers, httpVersion } = request.raw;
  if (httpVersion === '1.0' || headers.expect?.toLowerCase() !== '100-continue') return false;
  return Number(headers['content-length'] ?? 0) <= request.routeOptions.bodyLimit; // Fastify makes these anew at each look
}

/** Fastify refuses a malformed escape in the path, and would take one in the query for text. */
function faultOfEscapes({ url }: FastifyRequest): Error | undefined {
  try {
    decodeURIComponent(url);
    return undefined;
  } catch {
    return new errorCodes.FST_ERR_BAD_URL(url);
  }
}

/** Node decodes chunks alone, and ignores any coding before them: the body would be read as if plain. */
function faultOfFraming({ headers }: IncomingMessage): ProblemError | undefined {
  const coding = headers['transfer-encoding']?.toLowerCase();
  if (coding === undefined || coding === 'chunked') return undefined;
  if (headers['content-length'] !== undefined)
    return malformedRequest('Content-Length and Transfer-Encoding exclude each other.');
  return new ProblemError('unsupported-media-type', 'The only supported Transfer-Encoding is chunked.');
}
