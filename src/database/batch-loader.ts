import DataLoader from 'dataloader';

/**
 * Looks up single rows in batches, one statement at a time: the next one takes the ids that came meanwhile, up to 64, so
 * that a probe is answered between two when an outage has held many back. Nothing is cached: each caller gets the row as it
 * was after its look-up began, or undefined. `find` returns those that there are, in any order.
 */
export function batchLoader<Row extends { readonly id: string }>(
  find: (ids: readonly string[]) => Promise<readonly Row[]>,
): DataLoader<string, Row | undefined> {
  let last: Promise<unknown> = Promise.resolve();
  const findNext = async (ids: readonly string[]): Promise<(Row | undefined)[]> => {
    const found = find(ids);
    last = found.catch(() => undefined);
    const rows = new Map((await found).map((row) => [row.id, row]));
    return ids.map((id) => rows.get(id));
  };
  // After the sockets that are readable now, so that their requests join the batch.
  const batchScheduleFn = (flush: () => void): void => void setImmediate(() => void last.then(flush));
  return new DataLoader(findNext, { cache: false, maxBatchSize: 64, batchScheduleFn });
}
