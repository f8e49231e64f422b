import { serviceUnavailable } from '../http/problem/problem.js';
import { Places } from '../http/server/places.js';

/** Milliseconds, until the first one has been measured: what a hash of cost 10 takes where nothing else runs. */
const FIRST_GUESS = 50;
/** How much of the estimate is what has been measured last. */
const WEIGHT = 0.1;

/**
 * Lets a bounded number of hashes run, and the others wait for as long as it may take. bcrypt works on libuv's
 * threads, which files and DNS need too, and takes a core each: without a bound a flood of sign-ins would stall
 * everything.
 */
export class HashQueue {
  private readonly places: Places;
  /** How long a hash takes just now, in milliseconds. */
  private duration = FIRST_GUESS;

  constructor(
    private readonly concurrency: number,
    /** Milliseconds. */
    private readonly longestWait: number,
  ) {
    this.places = new Places(concurrency, longestWait);
  }

  /** How many run or wait. */
  get depth(): number {
    return this.places.depth;
  }

  /** Throws service-unavailable: at once for whoever would wait too long, and later where that was not foreseen. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const wait = ((this.places.queue + 1) * this.duration) / this.concurrency;
    if (this.places.allTaken && wait > this.longestWait) throw tooMany();
    if (!(await this.places.take())) throw tooMany();
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.duration += WEIGHT * (performance.now() - startedAt - this.duration);
      this.places.leave();
    }
  }
}

function tooMany(): Error {
  return serviceUnavailable('Too many sign-ins at once.');
}
