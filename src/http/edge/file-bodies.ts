import { once } from 'node:events';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { requireUtf8 } from '../json/json-body.js';
import { malformedRequest, ProblemError } from '../problem/problem.js';
import { addToFingerprint, mediaTypeOf } from './idempotency-key.js';

/** The media types of files: rows of text, one in a line or more. The first is the default. */
export const FILE_TYPES = ['text/csv', 'application/x-ndjson'] as const;
export type FileType = (typeof FILE_TYPES)[number];

declare module 'fastify' {
  interface FastifyContextConfig {
    takesFile?: boolean;
  }
}

/** On a handler: its body is a file, and no JSON. */
export const TakesFile = (): MethodDecorator & ClassDecorator => RouteConfig({ takesFile: true });

/** Parameter decorator: the file. */
export const FileBody = createParamDecorator(
  (_: unknown, context: ExecutionContext): UploadedFile =>
    context.switchToHttp().getRequest<FastifyRequest<{ Body: UploadedFile }>>().body,
);

/** Takes files where a handler {@link TakesFile}, and there alone. Nothing of a file is read before its handler opens it. */
export function takeFileBodies(fastify: FastifyInstance, bodyLimit: number): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (route.config?.takesFile === true) route.bodyLimit = bodyLimit;
  });
  fastify.addHook('preParsing', (request, _reply, payload, done) => done(otherType(request), payload));
  fastify.addContentTypeParser([...FILE_TYPES], async (request: FastifyRequest, body: Readable) => {
    requireUtf8(request);
    if (Number(request.headers['content-length'] ?? 0) > bodyLimit)
      throw new ProblemError('payload-too-large');
    return Promise.resolve(new UploadedFile(request, body, bodyLimit));
  });
}

/** A file that is the body of a request, and may still be on its way. */
export class UploadedFile {
  constructor(
    private readonly request: FastifyRequest,
    private readonly body: Readable,
    private readonly limit: number,
  ) {}

  get type(): FileType {
    return fileTypeOf(this.request) ?? 'text/csv';
  }

  /**
   * The bytes as they come in; the callback may refuse them by a throw. Fails with payload-too-large, request-timeout for
   * a slow body, malformed-request for one that breaks off.
   */
  open(onBytes: (bytes: Buffer) => void): Readable {
    const { body } = this;
    if (body.destroyed) throw endedEarly();
    const bytes = new BoundedBytes(this.limit, (chunk) => {
      addToFingerprint(this.request, chunk);
      onBytes(chunk);
    });
    body.once('error', () => bytes.destroy(endedEarly()));
    return body.pipe(bytes);
  }

  /** Reads what is still to come, so that the client gets its response. Resolves when the body or its connection has ended. */
  async discard(): Promise<void> {
    const { body, request } = this;
    const { socket } = request.raw; // once there is a response, the body does not hear that its client has gone
    body.unpipe();
    body.pipe(new PacedBytes()).resume();
    const ends = new AbortController();
    if (!(body.readableEnded || body.destroyed || socket.destroyed))
      await Promise.race([once(body, 'end', ends), once(socket, 'close', ends)]).catch(() => undefined);
    ends.abort();
  }
}

/** Bytes of a body that are read in a second. Faster clients gain nothing, and would keep the process busy. */
const FASTEST = 8 * 1024 * 1024;
/** Bytes in a second, of which a body has to bring five times as many in each five seconds. */
const SLOWEST = 64 * 1024;

class PacedBytes extends Transform {
  protected length = 0;
  private readonly since = performance.now();

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.length += bytes.length;
    const wait = this.since + (this.length * 1000) / FASTEST - performance.now();
    if (wait > 1) setTimeout(done, wait, null, bytes);
    else done(null, bytes);
  }
}

class BoundedBytes extends PacedBytes {
  private before = 0;
  private readonly timer = setInterval(() => {
    if (this.length - this.before < 5 * SLOWEST) this.destroy(tooSlow());
    this.before = this.length;
  }, 5000);

  constructor(
    private readonly limit: number,
    private readonly onBytes: (bytes: Buffer) => void,
  ) {
    super();
  }

  override _transform(bytes: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    try {
      if (this.length + bytes.length > this.limit) throw new ProblemError('payload-too-large');
      this.onBytes(bytes);
      super._transform(bytes, encoding, done);
    } catch (error) {
      done(error as Error);
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.timer);
    done(error);
  }
}

/** Of a request without a type at all Fastify says it, where there is a body. */
function otherType(request: FastifyRequest): ProblemError | undefined {
  const { takesFile = false } = request.routeOptions.config;
  if ((fileTypeOf(request) !== undefined) === takesFile) return undefined;
  const detail = takesFile ? `The body must be ${FILE_TYPES.join(' or ')}.` : undefined;
  return new ProblemError('unsupported-media-type', detail);
}

function fileTypeOf(request: FastifyRequest): FileType | undefined {
  const type = mediaTypeOf(request);
  return FILE_TYPES.find((known) => known === type);
}

function endedEarly(): ProblemError {
  return malformedRequest('The body ended early.');
}

function tooSlow(): ProblemError {
  const detail = `The body came with less than ${SLOWEST / 1024} KiB/s.`;
  return new ProblemError('request-timeout', detail, { headers: { connection: 'close' } });
}
