import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { textOf } from './json-body.js';
import { ProblemError, serviceUnavailable } from '../problem/problem.js';
import { keepBody, mediaTypeOf } from './idempotency-key.js';
import { whenOver } from '../server/exchanges.js';
import { Semaphore } from '../server/semaphore.js';

/** The media types of files: rows of text, one in a line or more. */
const FILE_TYPES = ['text/csv', 'application/x-ndjson'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** A file that a request has brought as its body. */
export class ReceivedFile {
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    readonly type: FileType,
    readonly text: string,
  ) {}

  /** As long as the work lasts, the file counts as being in memory, also when its client has gone. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const result = work();
    this.work = result.catch(() => undefined);
    return result;
  }

  /** Resolves when nobody works on it. */
  get idle(): Promise<unknown> {
    return this.work;
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    takesFile?: boolean;
  }
}

/** On a handler: its body is a file, and no JSON. */
export const TakesFile = (): MethodDecorator & ClassDecorator => RouteConfig({ takesFile: true });

/** Parameter decorator: the file. */
export const FileBody = createParamDecorator((_: unknown, context: ExecutionContext): ReceivedFile => {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  if (body instanceof ReceivedFile) return body;
  throw unsupported(OTHER_TYPE);
});

const OTHER_TYPE = `The body must be ${FILE_TYPES.join(' or ')}.`;

export interface FileLimits {
  /** In bytes. */
  readonly bodyLimit: number;
  /** So many are in memory at once. */
  readonly concurrency: number;
  /** In milliseconds: how long another one waits, before it is read; then it is answered 503. */
  readonly longestWait: number;
}

/** Reads files where a handler {@link TakesFile}, and there alone. What is refused is refused before it is read. */
export function readFileBodies(
  fastify: FastifyInstance,
  { bodyLimit, concurrency, longestWait }: FileLimits,
): void {
  const places = new Semaphore(concurrency, longestWait);
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (route.config?.takesFile === true) route.bodyLimit = bodyLimit;
  });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const takesFile = request.routeOptions.config.takesFile === true;
    const refusal = otherType(request, takesFile);
    if (!takesFile || refusal !== undefined) {
      done(refusal, payload);
      return;
    }
    void places.take().then((taken) => {
      if (taken) whenOver(request, reply, () => void idle(request).then(() => places.leave()));
      done(taken ? undefined : tooMany(), payload);
    });
  });
  fastify.addContentTypeParser(
    [...FILE_TYPES],
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      keepBody(request, bytes);
      return Promise.resolve(new ReceivedFile(fileTypeOf(request) ?? 'text/csv', textOf(request, bytes)));
    },
  );
}

async function idle({ body }: FastifyRequest): Promise<void> {
  if (body instanceof ReceivedFile) await body.idle;
}

/** Of a request without a type at all Fastify says it, where there is a body. */
function otherType(request: FastifyRequest, takesFile: boolean): ProblemError | undefined {
  if (takesFile) return fileTypeOf(request) === undefined ? unsupported(OTHER_TYPE) : undefined;
  return fileTypeOf(request) === undefined ? undefined : unsupported('The body must be application/json.');
}

function fileTypeOf(request: FastifyRequest): FileType | undefined {
  const type = mediaTypeOf(request);
  return FILE_TYPES.find((known) => known === type);
}

function unsupported(detail: string): ProblemError {
  return new ProblemError('unsupported-media-type', detail);
}

function tooMany(): ProblemError {
  return serviceUnavailable('Too many files are being imported.');
}
