import { serviceUnavailable } from '../http/problem/problem.js';

/**
 * Lets a bounded number of hashes run and a bounded number wait. bcrypt works on libuv's threads, which files
 * and DNS need too, and takes a core each: without a bound a flood of sign-ins would stall everything.
 */
export class HashQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly concurrency: number,
    private readonly limit: number,
  ) {}

  /** How many run or wait. */
  get depth(): number {
    return this.running + this.waiting.length;
  }

  /** Throws service-unavailable at once when too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(): Promise<void> {
    if (this.running < this.concurrency) {
      this.running++;
      return;
    }
    if (this.waiting.length >= this.limit) throw serviceUnavailable('Too many sign-ins at once.');
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Hands the place on, so that nobody who comes meanwhile can take it. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running--;
    else next();
  }
}
