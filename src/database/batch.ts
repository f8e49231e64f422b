import DataLoader from 'dataloader';

interface Options {
  /** Keys of one statement. */
  readonly atMost?: number;
  /** Whether a statement waits for the one before, and takes all keys that come meanwhile. */
  readonly oneByOne?: boolean;
}

/**
 * Look-ups of single rows that share a statement when they are asked for within one turn of the event loop. Nothing is
 * remembered: each gets the row as it is after the look-up began. `load` finds many at once, and returns them in the order
 * of the keys; undefined is a missing row.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>,
  { atMost = Infinity, oneByOne = false }: Options = {},
): DataLoader<Key, Value | undefined> {
  let last: Promise<unknown> = Promise.resolve();
  const loadNext: typeof load = (keys) => {
    const found = load(keys);
    if (oneByOne) last = found.catch(() => undefined);
    return found;
  };
  // After the sockets that are readable now: their requests come along.
  const batchScheduleFn = (flush: () => void): void => void setImmediate(() => void last.then(flush));
  return new DataLoader(loadNext, { cache: false, maxBatchSize: atMost, batchScheduleFn });
}
