import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { CSV } from '../common/validation/csv-form.js';
import { malformedRequest, ProblemError } from '../common/problems/problem.js';
import { addToFingerprint } from './idempotency-key.js';

/** The media types of files: rows of text, one in a line or more. The first is the default. */
export const FILE_TYPES = [CSV, 'application/x-ndjson'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** A file that is the body of a request, and may still be on its way. */
export class UploadedFile {
  private readonly chunks = this.body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  private startClock = this.pauseClock();

  constructor(
    private readonly request: FastifyRequest,
    private readonly body: Readable,
    /** Waits where the account's bytes have come too fast. */
    private readonly pace: (bytes: number) => Promise<void>,
    private readonly pauseClock: () => (read: number) => void,
  ) {}

  get type(): FileType {
    return this.request.mediaType as FileType;
  }

  /**
   * The bytes as they come in; the callback waits for room for so many, and may refuse them. Throws payload-too-large, and
   * malformed-request for a body that breaks off.
   */
  async *read(makeRoom: (length: number) => Promise<void>): AsyncGenerator<Buffer, undefined> {
    let length = 0;
    for (let bytes = await this.next(); bytes !== undefined; bytes = await this.next(bytes.length)) {
      length += bytes.length;
      if (length > this.request.routeOptions.bodyLimit) throw new ProblemError('payload-too-large');
      addToFingerprint(this.request, bytes);
      await makeRoom(length);
      yield bytes;
    }
    return undefined;
  }

  /** Reads what is still to come, so that the client gets its response. Resolves when the body or its connection has ended. */
  async discard(): Promise<void> {
    const { socket } = this.request.raw; // once there is a response, the body does not hear that its client has gone
    const ends = new AbortController();
    if (!socket.destroyed)
      await Promise.race([this.rest(), once(socket, 'close', ends)]).catch(() => undefined);
    ends.abort();
  }

  private async rest(): Promise<void> {
    while ((await this.next()) !== undefined);
  }

  /** The clock of the request runs while the client is waited for. */
  private async next(read = 0): Promise<Buffer | undefined> {
    this.startClock(read);
    const { value } = await this.chunks.next().catch(() => {
      throw endedEarly();
    });
    this.startClock = this.pauseClock();
    if (value !== undefined) await this.pace(value.length);
    return value;
  }
}

export const endedEarly = () => malformedRequest('The body ended early.');
