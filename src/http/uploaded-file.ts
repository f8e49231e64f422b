import { once } from 'node:events';
import { type Readable, Transform } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { CSV } from '../common/validation/csv-form.js';
import { malformedRequest, ProblemError } from '../common/problems/problem.js';
import { addToFingerprint } from './idempotency-key.js';

/** The media types of files: rows of text, one in a line or more. The first is the default. */
export const FILE_TYPES = [CSV, 'application/x-ndjson'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** A file that is the body of a request, and may still be on its way. */
export class UploadedFile {
  constructor(
    readonly type: FileType,
    private readonly request: FastifyRequest,
    private readonly body: Readable,
    private readonly how: {
      /** Bytes. */
      readonly limit: number;
      /** Waits where the account's bytes have come too fast. */
      readonly pace: (bytes: number) => Promise<void>;
      /** For the request to arrive, from now on. */
      readonly startClock: () => void;
    },
  ) {}

  /**
   * The bytes as they come in; the callback waits for room for so many, and may refuse them. Fails with payload-too-large,
   * request-timeout for a slow body, malformed-request for one that breaks off.
   */
  open(makeRoom: (length: number) => Promise<void>): Readable {
    const { body, request } = this;
    const { limit, startClock } = this.how;
    if (body.destroyed) throw endedEarly();
    startClock();
    let [length, before, isPaused] = [0, 0, false];
    const accepted = this.paced(async (bytes) => {
      length += bytes.length;
      if (length > limit) throw new ProblemError('payload-too-large');
      addToFingerprint(request, bytes);
      isPaused = true;
      await makeRoom(length);
      isPaused = false;
    });
    const timer = setInterval(() => {
      // A service that has not read what has come can blame nobody.
      if (isPaused || accepted.readableLength > 0) startClock();
      else if (length - before < 5 * SLOWEST) accepted.destroy(tooSlow());
      before = length;
    }, 5000);
    accepted.once('close', () => clearInterval(timer));
    body.once('error', () => accepted.destroy(endedEarly()));
    return body.pipe(accepted);
  }

  /** Reads what is still to come, so that the client gets its response. Resolves when the body or its connection has ended. */
  async discard(): Promise<void> {
    const { body, request } = this;
    const { socket } = request.raw; // once there is a response, the body does not hear that its client has gone
    this.how.startClock();
    body.unpipe();
    body.pipe(this.paced()).resume();
    const ends = new AbortController();
    if (!(body.readableEnded || body.destroyed || socket.destroyed))
      await Promise.race([once(body, 'end', ends), once(socket, 'close', ends)]).catch(() => undefined);
    ends.abort();
  }

  private paced(accept?: (bytes: Buffer) => Promise<void>): Transform {
    const { pace } = this.how;
    return new Transform({
      transform(bytes: Buffer, _encoding, done) {
        const accepted = Promise.all([pace(bytes.length), accept?.(bytes)]);
        accepted.then(
          () => done(null, bytes),
          (error: unknown) => done(error as Error),
        );
      },
    });
  }
}

/** Bytes in a second, of which a body has to bring five times as many in each five seconds. */
const SLOWEST = 64 * 1024;

export function endedEarly(): ProblemError {
  return malformedRequest('The body ended early.');
}

function tooSlow(): ProblemError {
  const detail = `The body came with less than ${SLOWEST / 1024} KiB/s.`;
  return new ProblemError('request-timeout', detail, { headers: { connection: 'close' } });
}
