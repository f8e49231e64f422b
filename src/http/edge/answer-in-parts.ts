import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';

/** Bytes a second. A client that takes less for {@link PATIENCE} is cut off: it holds what others wait for. */
const SLOWEST = 64 * 1024;
/** Milliseconds. */
const PATIENCE = 30_000;
/** Milliseconds. At the slowest rate a client would else hold an old snapshot of the database for days. */
const LONGEST = 3_600_000;

const TOO_SLOW = `its client takes less than ${SLOWEST / 1024} KiB a second`;
const TOO_LONG = 'its client has taken an hour';

interface Options {
  /** In place of JSON's. */
  readonly headers?: OutgoingHttpHeaders;
  /** Called once, when nothing is read for it any more. */
  readonly over: () => void;
}

/** A text that is too long to be in memory as a whole: its parts are read as its client takes them. */
export class AnswerInParts {
  private constructor(
    private first: string | undefined,
    private readonly rest: AsyncGenerator<string>,
    private readonly options: Options,
  ) {}

  /** Reads the first part, so that a failure until then still has a problem document. No part is empty. */
  static async of(parts: AsyncGenerator<string>, options: Options): Promise<AnswerInParts> {
    try {
      const { value } = (await parts.next()) as IteratorResult<string, undefined>;
      return new AnswerInParts(value, parts, options);
    } catch (error) {
      options.over();
      throw error;
    }
  }

  get headers(): OutgoingHttpHeaders {
    return this.options.headers ?? {};
  }

  /** To be called once the client has taken everything, or has gone. */
  leave(): void {
    const { over } = this.options;
    void this.rest.return(undefined).then(over, over);
  }

  toStream(): Readable {
    const next = async (): Promise<string | undefined> => {
      const { first, rest } = this;
      this.first = undefined;
      return first ?? ((await rest.next()) as IteratorResult<string, undefined>).value;
    };
    const client = new Patience();
    return new Readable({
      highWaterMark: 0, // never a part ahead of the one that its client is taking
      read() {
        client.hasTaken();
        next().then(
          (part) => {
            if (part !== undefined) client.waitsFor(part, (why) => this.destroy(new Error(why)));
            this.push(part ?? null);
          },
          (error: unknown) => this.destroy(error as Error),
        );
      },
      destroy(error, done) {
        client.hasTaken();
        done(error);
      },
    });
  }
}

/** The time left to the client of a stream: waiting for it uses time up, and each part that it takes gives some back. */
class Patience {
  private left = PATIENCE;
  private readonly end = performance.now() + LONGEST;
  private bytes = 0;
  private since = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `end` is called when the client has taken too long. */
  waitsFor(part: string, end: (reason: string) => void): void {
    this.bytes = Buffer.byteLength(part);
    this.since = performance.now();
    const longest = this.end - this.since;
    const reason = longest < this.left ? TOO_LONG : TOO_SLOW;
    this.timer = setTimeout(() => end(reason), Math.min(this.left, longest));
  }

  /** Everything so far. */
  hasTaken(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    const earned = (1000 * this.bytes) / SLOWEST;
    this.left = Math.min(PATIENCE, this.left - (performance.now() - this.since) + earned);
  }
}
