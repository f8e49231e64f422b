import DataLoader from 'dataloader';

interface Options {
  /** Keys of one statement. */
  readonly atMost?: number;
  /** Whether a statement waits for the one before, and takes all keys that come meanwhile. */
  readonly oneByOne?: boolean;
}

/**
 * Look-ups of single rows that share a statement when they are asked for within one turn of the event loop. Nothing is
 * remembered, so each gets what the database holds after it was asked for. `load` finds many at once, and returns them
 * in the order of the keys; undefined is a row that is not there.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>,
  { atMost = Infinity, oneByOne = false }: Options = {},
): DataLoader<Key, Value | undefined> {
  let last: Promise<unknown> = Promise.resolve();
  const tracked = (keys: readonly Key[]): ReturnType<typeof load> => {
    const found = load(keys);
    last = found.catch(() => undefined);
    return found;
  };
  return new DataLoader(oneByOne ? tracked : load, {
    cache: false,
    maxBatchSize: atMost,
    // After the sockets that are readable now: their requests come along.
    batchScheduleFn: (flush) => void setImmediate(() => void last.then(flush)),
  });
}
