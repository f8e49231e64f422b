import { serviceUnavailable } from '../http/problem/problem.js';

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
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  /** How long a hash takes just now, in milliseconds. */
  private duration = FIRST_GUESS;

  constructor(
    private readonly concurrency: number,
    /** Milliseconds. */
    private readonly longestWait: number,
  ) {}

  /** How many run or wait. */
  get depth(): number {
    return this.running + this.waiting.length;
  }

  /** Throws service-unavailable: at once for whoever would wait too long, and later where that was not foreseen. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.duration += WEIGHT * (performance.now() - startedAt - this.duration);
      this.leave();
    }
  }

  private async enter(): Promise<void> {
    if (this.running < this.concurrency) {
      this.running++;
      return;
    }
    const wait = ((this.waiting.length + 1) * this.duration) / this.concurrency;
    if (wait > this.longestWait) throw tooMany();
    await this.place();
  }

  /** Resolves when another one's place is handed over. */
  private place(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(tooMany());
      }, this.longestWait);
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.waiting.push(enter);
    });
  }

  /** Hands the place on, so that nobody who comes meanwhile can take it. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running--;
    else next();
  }
}

function tooMany(): Error {
  return serviceUnavailable('Too many sign-ins at once.');
}
