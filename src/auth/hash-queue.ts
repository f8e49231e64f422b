import { serviceUnavailable } from '../http/problem/problem.js';
import { Semaphore } from '../http/server/semaphore.js';

/** Milliseconds: a hash of cost 10 on an idle machine, until one has been measured. */
const FIRST_GUESS = 50;
/** Share of the latest measurement in the estimate. */
const WEIGHT = 0.1;

/**
 * Bounds the hashes that run at once and the wait of the others. A hash takes a whole core and one of libuv's threads,
 * which files and DNS need too: without a bound a flood of sign-ins would stall everything.
 */
export class HashQueue {
  private readonly running: Semaphore;
  /** Of one hash, as measured lately, in milliseconds. */
  private duration = FIRST_GUESS;

  constructor(
    private readonly concurrency: number,
    /** Milliseconds. */
    private readonly longestWait: number,
  ) {
    this.running = new Semaphore(concurrency, longestWait);
  }

  /** Hashes that run or wait. */
  get depth(): number {
    return this.running.depth;
  }

  /** Throws service-unavailable: at once when the wait is foreseen to be too long, otherwise when it has been. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const wait = ((this.running.waiting + 1) * this.duration) / this.concurrency;
    if (this.running.isFull && wait > this.longestWait) throw tooMany();
    if (!(await this.running.take())) throw tooMany();
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.duration += WEIGHT * (performance.now() - startedAt - this.duration);
      this.running.leave();
    }
  }
}

function tooMany(): Error {
  return serviceUnavailable('Too many sign-ins at once.');
}
