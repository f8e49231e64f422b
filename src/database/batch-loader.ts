import DataLoader from 'dataloader';

/**
 * Look-ups of single rows, of which one statement runs at a time: the next takes the keys that come meanwhile, up to 64, so
 * that a probe is answered between two when an outage has held many back. Nothing is remembered: each gets the row as it is
 * after the look-up began. `load` returns the rows in the order of the keys; undefined is a missing row.
 */
export function batchLoader<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>,
): DataLoader<Key, Value | undefined> {
  let last: Promise<unknown> = Promise.resolve();
  const loadNext: typeof load = (keys) => {
    const found = load(keys);
    last = found.catch(() => undefined);
    return found;
  };
  // After the sockets that are readable now: their requests come along.
  const batchScheduleFn = (flush: () => void): void => void setImmediate(() => void last.then(flush));
  return new DataLoader(loadNext, { cache: false, maxBatchSize: 64, batchScheduleFn });
}
