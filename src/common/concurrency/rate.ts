import { setTimeout as sleep } from 'node:timers/promises';
import type { Taker } from './places.js';

/** Milliseconds that an account may be ahead of its rate. */
const AHEAD = 100;

/** Bytes per second of each account, in all of its requests together. */
export class Rate {
  /** Account → when it has made up for the bytes that it took, by `performance.now()`. */
  private readonly ends = new Map<string, number>();

  constructor(private readonly bytesPerSecond: number) {}

  /** Waits until the account has made up for the bytes before. */
  async take({ id }: Taker, bytes: number): Promise<void> {
    const now = performance.now();
    const start = Math.max(now, this.ends.get(id) ?? 0);
    this.ends.set(id, start + (bytes * 1000) / this.bytesPerSecond);
    if (start > now + AHEAD) await sleep(start - now - AHEAD);
    for (const [other, end] of this.ends) if (end <= now) this.ends.delete(other);
  }
}
