import DataLoader from 'dataloader';

/**
 * Look-ups of single rows that share one statement: those that are asked for within one turn of the event loop, `atMost`
 * so many at a time. Nothing is remembered, so each gets what the database holds after it was asked for. `load` finds many at once,
 * and returns them in the order of the keys; undefined is what is not there.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>,
  atMost = Infinity,
): DataLoader<Key, Value | undefined> {
  return new DataLoader(load, {
    cache: false,
    maxBatchSize: atMost,
    // After the sockets that are readable now: their requests come along.
    batchScheduleFn: (flush) => void setImmediate(flush),
  });
}
