import { Readable } from 'node:stream';

/** Bytes a second. A client that takes less for {@link PATIENCE} is cut off: it holds a connection to the database. */
const SLOWEST = 64 * 1024;
/** Milliseconds. */
const PATIENCE = 30_000;
/** Milliseconds. At the slowest rate a client could hold an old snapshot of the database for days. */
const LONGEST = 3_600_000;

const TOO_SLOW = `its client takes less than ${SLOWEST / 1024} KiB a second`;
const TOO_LONG = 'its client has taken an hour';

/**
 * A text as a stream whose parts are read from the database as the client takes them. Resolves with the first part, so
 * that a failure until then is still answered by a problem document. No part is empty.
 */
export async function pacedStream(parts: AsyncGenerator<string, void>): Promise<Readable> {
  let first: IteratorResult<string, void> | undefined = await parts.next();
  const client = new Patience();
  return new Readable({
    highWaterMark: 0, // never a part ahead of the one that its client is taking
    read() {
      client.hasTaken();
      const next = first === undefined ? parts.next() : Promise.resolve(first);
      first = undefined;
      next.then(
        ({ value }) => {
          if (this.destroyed) return; // its timer would outlive it
          if (value !== undefined) client.waitsFor(value, (reason) => this.destroy(new Error(reason)));
          this.push(value ?? null);
        },
        (error: unknown) => this.destroy(error as Error),
      );
    },
    destroy(error, done) {
      client.hasTaken();
      parts.return().catch(() => undefined);
      done(error);
    },
  });
}

/** The time left to a client: waiting for it uses time up, and each part that it takes gives some back. */
class Patience {
  private left = PATIENCE;
  private readonly end = performance.now() + LONGEST;
  private bytes = 0;
  private since = 0;
  private timer: NodeJS.Timeout | undefined;

  /** Calls `cutOff` when the client has taken too long for the part. */
  waitsFor(part: string, cutOff: (reason: string) => void): void {
    this.bytes = Buffer.byteLength(part);
    this.since = performance.now();
    const longest = this.end - this.since;
    const reason = longest < this.left ? TOO_LONG : TOO_SLOW;
    this.timer = setTimeout(() => cutOff(reason), Math.min(this.left, longest));
  }

  hasTaken(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    const earned = (1000 * this.bytes) / SLOWEST;
    this.left = Math.min(PATIENCE, this.left - (performance.now() - this.since) + earned);
  }
}
