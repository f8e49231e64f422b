/** Milliseconds, counted up from any start. */
export interface BusyTime {
  readonly busy: number;
  readonly total: number;
}

/** Below this a difference says more about the clock than about the load. */
const SHORTEST_SPAN = 100;

/** Reads the busy share of the time since the reading before, from 0 to 1. Two at almost the same time are equal. */
export function utilisation(measure: () => BusyTime): () => number {
  let [last, share] = [measure(), 0];
  return () => {
    const now = measure();
    const total = now.total - last.total;
    if (total < SHORTEST_SPAN) return share;
    share = Math.min(1, Math.max(0, (now.busy - last.busy) / total));
    last = now;
    return share;
  };
}
