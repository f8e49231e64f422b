import { Readable } from 'node:stream';

/** Bytes a second. A client that takes less for {@link PATIENCE} is cut off: it holds a connection to the database. */
const SLOWEST = 64 * 1024;
/** Milliseconds. */
const PATIENCE = 30_000;
/** Milliseconds. At the slowest rate a client could keep a snapshot of the database open for days. */
const LONGEST = 3_600_000;

const TOO_SLOW = `its client takes less than ${SLOWEST / 1024} KiB a second`;
const TOO_LONG = 'its client has taken an hour';

/**
 * A stream whose parts are read from the database as the client takes them. Resolves once the first part is there: a
 * failure before it is answered by a problem document. No part is empty.
 */
export async function exportStream(parts: AsyncGenerator<string, void>): Promise<Readable> {
  const first = await parts.next();
  const end = performance.now() + LONGEST;
  let timer: NodeJS.Timeout | undefined;

  /** A client loses time while the stream waits for it, and earns some back with each part. */
  async function* paced(): AsyncGenerator<string, void> {
    let left = PATIENCE;
    for (let part = first; part.value !== undefined; part = await parts.next()) {
      const since = performance.now();
      const reason = end - since < left ? TOO_LONG : TOO_SLOW;
      timer = setTimeout(() => stream.destroy(new Error(reason)), Math.min(left, end - since));
      yield part.value;
      clearTimeout(timer);
      const earned = (1000 * Buffer.byteLength(part.value)) / SLOWEST;
      left = Math.min(PATIENCE, left - (performance.now() - since) + earned);
    }
  }

  // Never a part ahead of the one that the client is taking
  const stream = Readable.from(paced(), { objectMode: false, highWaterMark: 0 });
  return stream.once('close', () => {
    clearTimeout(timer);
    parts.return().catch(() => undefined);
  });
}
