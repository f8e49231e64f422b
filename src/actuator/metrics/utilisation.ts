/** Milliseconds, counted up from any start. */
export interface BusyTime {
  readonly busy: number;
  readonly total: number;
}

/** Below this a difference says more about the clock than about the load. */
const SHORTEST_SPAN = 100;

/** The busy share of the time since the reading before, from 0 to 1. */
export class Utilisation {
  private last: BusyTime;
  private share = 0;

  constructor(private readonly measure: () => BusyTime) {
    this.last = measure();
  }

  /** Two readings at almost the same time are equal. */
  read(): number {
    const now = this.measure();
    const total = now.total - this.last.total;
    if (total < SHORTEST_SPAN) return this.share;
    this.share = Math.min(1, Math.max(0, (now.busy - this.last.busy) / total));
    this.last = now;
    return this.share;
  }
}
