import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { JsonText } from '../json/exact-json.js';

/** What a service returns of one resource. Only versioned ones have an entity tag. */
interface Resource {
  readonly id: string;
  readonly json: JsonText;
  readonly version?: number;
  readonly replayed?: boolean;
}

/** The text of a resource with the headers that belong to it. */
export class Representation {
  private constructor(
    readonly text: JsonText,
    readonly headers: Readonly<Record<string, string>>,
    readonly version?: number,
  ) {}

  /** Answered with its ETag. */
  static of({ json, version }: Resource): Representation {
    return new Representation(json, {}, version);
  }

  /** Of many: there is no tag and no path of all together. */
  static ofMany({ json, replayed }: Pick<Resource, 'json' | 'replayed'>): Representation {
    return new Representation(json, replayedHeader(replayed));
  }

  /** Answered with its ETag, with its path below the collection's as Location, and with Idempotent-Replayed where it is. */
  static created({ id, json, version, replayed }: Resource, collection: string): Representation {
    return new Representation(
      json,
      { location: `/${collection}/${id}`, ...replayedHeader(replayed) },
      version,
    );
  }

  /** In place of JSON. */
  static ofText(mediaType: string, text: string): Representation {
    return new Representation(new JsonText(text), { 'content-type': `${mediaType}; charset=utf-8` });
  }
}

function replayedHeader(replayed = false): Record<string, string> {
  return replayed ? { 'idempotent-replayed': 'true' } : {};
}

/** Turns a {@link Representation} that a handler returns into headers and body, or into 304. */
export function sendRepresentations(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    done(null, payload instanceof Representation ? unfold(payload, request, reply) : payload);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // Of a HEAD, Fastify itself takes the body away, but fails where there is none.
    done(null, reply.statusCode === 304 && request.method !== 'HEAD' ? null : payload);
  });
}

function unfold(
  { text, headers, version }: Representation,
  request: FastifyRequest,
  reply: FastifyReply,
): JsonText {
  reply.headers(headers);
  if (version === undefined) return text;
  reply.header('etag', entityTag(version));
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && isListed(entityTag(version), request.headers['if-none-match']))
    reply.code(304).removeHeader('content-type');
  return text;
}

function entityTag(version: number): string {
  return `"${version}"`;
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
