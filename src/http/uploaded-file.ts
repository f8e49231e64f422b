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
    private readonly limit: number,
  ) {}

  /**
   * The bytes as they come in; the callback may refuse them by a throw. Fails with payload-too-large, request-timeout for
   * a slow body, malformed-request for one that breaks off.
   */
  open(onBytes: (bytes: Buffer) => void): Readable {
    const { body, request, limit } = this;
    if (body.destroyed) throw endedEarly();
    let [length, before] = [0, 0];
    const accepted = paced((bytes) => {
      length += bytes.length;
      if (length > limit) throw new ProblemError('payload-too-large');
      addToFingerprint(request, bytes);
      onBytes(bytes);
    });
    const timer = setInterval(() => {
      if (length - before < 5 * SLOWEST) accepted.destroy(tooSlow());
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
    body.unpipe();
    body.pipe(paced()).resume();
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

/** Passes bytes on no faster than {@link FASTEST}. The callback may refuse them by a throw. */
function paced(onBytes?: (bytes: Buffer) => void): Transform {
  const since = performance.now();
  let length = 0;
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      try {
        onBytes?.(bytes);
      } catch (error) {
        done(error as Error);
        return;
      }
      length += bytes.length;
      const wait = since + (length * 1000) / FASTEST - performance.now();
      if (wait > 1) setTimeout(done, wait, null, bytes);
      else done(null, bytes);
    },
  });
}

function endedEarly(): ProblemError {
  return malformedRequest('The body ended early.');
}

function tooSlow(): ProblemError {
  const detail = `The body came with less than ${SLOWEST / 1024} KiB/s.`;
  return new ProblemError('request-timeout', detail, { headers: { connection: 'close' } });
}
