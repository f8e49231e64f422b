import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type JsonText } from '../json/exact-json.js';
import { concurrentModification } from '../problem/problem.js';

/** The JSON of one resource with what belongs into the headers beside it. */
export class Representation {
  constructor(
    readonly json: JsonText,
    readonly about: { readonly version?: number; readonly location?: string },
  ) {}
}

/** Turns a {@link Representation} that a handler returns into headers and body, or into 304. */
export function sendRepresentations(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    done(null, payload instanceof Representation ? unfold(payload, request, reply) : payload);
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    done(null, reply.statusCode === 304 ? null : payload);
  });
}

function unfold({ json, about }: Representation, request: FastifyRequest, reply: FastifyReply): JsonText {
  const { version, location } = about;
  if (location !== undefined) reply.header('location', location);
  if (version === undefined) return json;
  reply.header('etag', entityTag(version));
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && isListed(request.headers['if-none-match'], version, 'weak'))
    reply.code(304).removeHeader('content-type');
  return json;
}

function entityTag(version: number): string {
  return `"${version}"`;
}

/** The If-Match header of a write, or undefined. */
export type Precondition = string | undefined;

/** Throws concurrent-modification unless the version is among the header's, or the header is missing (RFC 9110, 13.1.1). */
export function requireMatch(precondition: Precondition, version: number): void {
  if (precondition !== undefined && !isListed(precondition, version, 'strong'))
    throw concurrentModification();
}

function isListed(header: string | undefined, version: number, comparison: 'weak' | 'strong'): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim());
  const opaque = comparison === 'weak' ? tags.map((tag) => tag.replace(/^W\//, '')) : tags;
  return header.trim() === '*' || opaque.includes(entityTag(version));
}
