import DataLoader from 'dataloader';

/**
 * Look-ups of single rows by key that share one statement: all that are asked for within one turn of the event
 * loop. Nothing is remembered, so each gets what the database holds after it was asked for. `load` finds many at
 * once; a key without a value is not there.
 */
export function batched<Value>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, Value>>,
): DataLoader<string, Value | undefined> {
  return new DataLoader(
    async (keys) => {
      const found = await load([...new Set(keys)]);
      return keys.map((key) => found.get(key));
    },
    // After the sockets that are readable now: their requests come along.
    { cache: false, batchScheduleFn: (flush) => void setImmediate(flush) },
  );
}
