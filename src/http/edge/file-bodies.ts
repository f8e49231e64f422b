import type { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { textOf } from '../json/json-body.js';
import { malformedRequest, ProblemError, serviceUnavailable } from '../problem/problem.js';
import { keepBody, mediaTypeOf } from './idempotency-key.js';
import { whenOver } from './exchanges.js';
import { Lines, type Release } from './lines.js';
import { Semaphore } from './semaphore.js';

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
  interface FastifyRequest {
    upload?: Upload;
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
  /** Bytes of a file. */
  readonly bodyLimit: number;
  /** Files that are worked on at once. */
  readonly concurrency: number;
  /** Milliseconds that an account's next file, and any file that has come in, wait for their turn. */
  readonly longestWait: number;
}

/** Files that may be in memory beside those that are worked on: on their way, or waiting. */
const MORE_IN_MEMORY = 4;
/** A body has to bring as many bytes in each of these spaces of milliseconds. */
const SLOWEST = { bytes: 5 * 64 * 1024, milliseconds: 5000 };

/** A request with a file, and everything to be given back behind its response. */
interface Upload {
  isOver: boolean;
  readonly releases: Release[];
}

/**
 * Reads files where a handler {@link TakesFile}, and there alone. An account has one file at a time. A file takes its turn
 * to be worked on once it is there, so that a slow line keeps nobody waiting; until then only its bytes count.
 */
export function readFileBodies(fastify: FastifyInstance, limits: FileLimits): void {
  const receiver = new Receiver(limits);
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (route.config?.takesFile === true) route.bodyLimit = limits.bodyLimit;
  });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const takesFile = request.routeOptions.config.takesFile === true;
    const refusal = otherType(request, takesFile);
    if (takesFile && refusal === undefined) {
      const upload: Upload = { isOver: false, releases: [] };
      request.upload = upload;
      whenOver(request, reply, () => {
        upload.isOver = true;
        void idle(request).then(() => upload.releases.forEach((release) => release()));
      });
    }
    done(refusal, payload);
  });
  fastify.addContentTypeParser([...FILE_TYPES], async (request: FastifyRequest, payload: Readable) => {
    const bytes = await receiver.receive(request, payload);
    keepBody(request, bytes);
    return new ReceivedFile(fileTypeOf(request) ?? 'text/csv', textOf(request, bytes));
  });
}

class Receiver {
  private readonly atWork: Semaphore;
  private readonly ofAccounts: Lines;
  private held = 0;

  constructor(private readonly limits: FileLimits) {
    this.atWork = new Semaphore(limits.concurrency, limits.longestWait);
    this.ofAccounts = new Lines(1, limits.longestWait, 'Another file of yours is being imported.');
  }

  /** Throws payload-too-large, too-many-requests, request-timeout for a slow body, service-unavailable. */
  async receive({ headers, caller, upload }: FastifyRequest, payload: Readable): Promise<Buffer> {
    if (Number(headers['content-length'] ?? 0) > this.limits.bodyLimit) throw tooLarge();
    if (upload === undefined) throw unsupported(OTHER_TYPE);
    keep(upload, await this.ofAccounts.take({ id: caller?.id ?? '' }));
    const bytes = await this.bytesOf(payload, upload);
    if (!(await this.atWork.take())) throw serviceUnavailable(TOO_MANY);
    keep(upload, () => this.atWork.leave());
    return bytes;
  }

  private async bytesOf(payload: Readable, upload: Upload): Promise<Buffer> {
    const { bodyLimit, concurrency } = this.limits;
    const chunks: Buffer[] = [];
    let [length, before] = [0, 0];
    upload.releases.push(() => (this.held -= length));
    return new Promise((resolve, reject) => {
      const refuse = (problem: ProblemError): void => {
        clearInterval(timer);
        payload.off('data', add);
        payload.resume(); // to its end, or that of its connection
        chunks.length = 0;
        reject(problem);
      };
      const timer = setInterval(() => {
        if (length - before < SLOWEST.bytes) refuse(tooSlow());
        before = length;
      }, SLOWEST.milliseconds);
      const add = (chunk: Buffer): void => {
        chunks.push(chunk);
        length += chunk.length;
        this.held += chunk.length;
        if (length > bodyLimit) refuse(tooLarge());
        else if (this.held > bodyLimit * (concurrency + MORE_IN_MEMORY)) refuse(serviceUnavailable(TOO_MANY));
      };
      payload.on('data', add);
      payload.once('error', () => refuse(endedEarly()));
      payload.once('end', () => {
        clearInterval(timer);
        resolve(Buffer.concat(chunks));
      });
    });
  }
}

/** Gives back at the end of the upload, which a client that has gone may have ended already. */
function keep({ isOver, releases }: Upload, release: Release): void {
  if (!isOver) {
    releases.push(release);
    return;
  }
  release();
  throw endedEarly();
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

const TOO_MANY = 'Too many files are being imported.';

function endedEarly(): ProblemError {
  return malformedRequest('The body ended early.');
}

function tooLarge(): ProblemError {
  return new ProblemError('payload-too-large', 'The body is larger than this service takes.');
}

function tooSlow(): ProblemError {
  const { bytes, milliseconds } = SLOWEST;
  const rate = `${(bytes * 1000) / milliseconds / 1024} KiB/s`;
  return new ProblemError('request-timeout', `The body came with less than ${rate}.`, {
    headers: { connection: 'close' },
  });
}
