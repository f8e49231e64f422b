import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { JsonText } from '../json/exact-json.js';

/** A handler's result that has headers. */
export abstract class Presentation {
  /** Sets the headers, and returns the body. */
  abstract present(request: FastifyRequest, reply: FastifyReply): JsonText;
}

/** Sends each {@link Presentation} that a handler returns. */
export function sendPresentations(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    done(null, payload instanceof Presentation ? payload.present(request, reply) : payload);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // Of a HEAD, Fastify itself takes the body away, but fails where there is none.
    done(null, reply.statusCode === 304 && request.method !== 'HEAD' ? null : payload);
  });
}

/** A resource as a service returns it. Only versioned ones have an entity tag. */
interface Resource {
  readonly id: string;
  readonly json: JsonText;
  readonly version?: number;
  readonly replayed?: boolean;
}

/** The text of a resource with the headers that belong to it. */
export class Representation extends Presentation {
  private constructor(
    private readonly text: JsonText,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly version?: number,
  ) {
    super();
  }

  /** With an ETag. */
  static of({ json, version }: Resource): Representation {
    return new Representation(json, {}, version);
  }

  /** Of many resources, which have no common tag or path. */
  static ofMany({ json, replayed }: Pick<Resource, 'json' | 'replayed'>): Representation {
    return new Representation(json, replayedHeader(replayed));
  }

  /** With an ETag, and the path below the collection's as Location. */
  static created({ id, json, version, replayed }: Resource, collection: string): Representation {
    const headers = { location: `/${collection}/${id}`, ...replayedHeader(replayed) };
    return new Representation(json, headers, version);
  }

  /** In place of JSON. */
  static ofText(mediaType: string, text: string): Representation {
    return new Representation(new JsonText(text), { 'content-type': `${mediaType}; charset=utf-8` });
  }

  /** Sends 304 for a read whose If-None-Match names the version. */
  present(request: FastifyRequest, reply: FastifyReply): JsonText {
    reply.headers(this.headers);
    if (this.version === undefined) return this.text;
    const tag = `"${this.version}"`;
    reply.header('etag', tag);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && isListed(tag, request.headers['if-none-match']))
      reply.code(304).removeHeader('content-type');
    return this.text;
  }
}

function replayedHeader(replayed = false): Record<string, string> {
  return replayed ? { 'idempotent-replayed': 'true' } : {};
}

/** No version needs more digits, and these fit PostgreSQL's integer. */
const VERSION_TAG = /^"(0|[1-9]\d{0,8})"$/;

/**
 * Parameter decorator: the versions that If-Match names (RFC 9110, section 13.1.1), compared strongly; undefined
 * without the header, and for `*`, which any version meets.
 */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): number[] | undefined => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  return header.split(',').flatMap((tag) => {
    const [, version] = VERSION_TAG.exec(tag.trim()) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
});

/** Whether If-None-Match names this tag, which is compared weakly (RFC 9110, section 8.8.3.2). */
export function isListed(tag: string, header = ''): boolean {
  const tags = header.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return header.trim() === '*' || tags.includes(tag);
}
