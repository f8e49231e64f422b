import DataLoader from 'dataloader';

/**
 * Looks up single rows in batches, one statement at a time: the next one takes the keys that came meanwhile, up to 64, so
 * that a probe is answered between two when an outage has held many back. Nothing is cached: each caller gets the row as it
 * was after its look-up began. `load` returns rows in the order of the keys, undefined for a missing one.
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
  // After the sockets that are readable now, so that their requests join the batch.
  const batchScheduleFn = (flush: () => void): void => void setImmediate(() => void last.then(flush));
  return new DataLoader(loadNext, { cache: false, maxBatchSize: 64, batchScheduleFn });
}
