import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonParts, JsonText } from '../common/json/exact-json.js';
import { pathOf } from '../common/problems/problem.js';

/** Sends each {@link Representation} that a handler returns. */
export function sendRepresentations(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    done(null, payload instanceof Representation ? payload.present(request, reply) : payload);
  });
}

/** A resource, or several together, as a service returns it. Only a single one that may change has a version. */
interface Resource {
  readonly json: JsonText | JsonParts;
  readonly version?: number;
  /** The query of the next page, for a Link (RFC 8288). */
  readonly nextQuery?: string;
  readonly replayed?: boolean;
}

/** The text of a resource with the headers that belong to it. */
export class Representation {
  constructor(
    readonly resource: Resource,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** With a Location: its path in the collection. */
  static created(resource: Resource & { readonly id: string }, collection: string): Representation {
    return new Representation(resource, { location: `/${collection}/${resource.id}` });
  }

  /** Sets the headers, and returns the body. Sends 304 for a read whose If-None-Match names the version. */
  present(request: FastifyRequest, reply: FastifyReply): Resource['json'] {
    const { json, version, nextQuery, replayed = false } = this.resource;
    reply.headers(this.headers);
    if (nextQuery !== undefined) reply.header('link', `<${pathOf(request.url)}?${nextQuery}>; rel="next"`);
    if (replayed) reply.header('idempotent-replayed', 'true');
    if (version === undefined) return json;
    const tag = `"${version}"`;
    reply.header('etag', tag);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || !isListed(tag, request.headers['if-none-match'])) return json;
    reply.code(304).removeHeader('content-type');
    // For a HEAD, Fastify itself removes the body, but fails where there is none.
    if (request.method === 'GET') reply.serializer(() => null as unknown as string);
    return json;
  }
}

const VERSION_TAG = /^"(0|[1-9]\d{0,9})"$/;

/**
 * Parameter decorator: the versions that If-Match names (RFC 9110, section 13.1.1), compared strongly; undefined
 * without the header, and for `*`, which any version meets.
 */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): number[] | undefined => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  const versions = header.split(',').map((tag) => Number(VERSION_TAG.exec(tag.trim())?.[1]));
  return versions.filter((version) => version < 2 ** 31); // larger ones do not fit PostgreSQL's integer
});

/** Whether If-None-Match names this tag, which is compared weakly (RFC 9110, section 8.8.3.2). */
export function isListed(tag: string, header = ''): boolean {
  const tags = header.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return header.trim() === '*' || tags.includes(tag);
}
