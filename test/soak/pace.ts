import { setTimeout as sleep } from 'node:timers/promises';

/** The load is over: no turn comes any more. */
export class Ended extends Error {}

export type Turn = 'request' | 'fault';

const TICK = 10;
/** One turn in ten is for a fault. */
const FAULTS_PER_REQUEST = 1 / 9;
/** Of turns that nobody was there to take; what is more than these is left out. */
const MOST_DUE = 20;
const POLL_INTERVAL = 5;
/** How many times as long as planned the turns may take. */
const SLOWNESS = 10;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Ended) => void;
}

/** Gives turns to clients, so many a second and one in ten for a fault, however many clients there are. */
export class Pace {
  private readonly waiting: Record<Turn, Waiting[]> = { request: [], fault: [] };
  private readonly due: Record<Turn, number> = { request: 0, fault: 0 };
  private given = 0;
  private underWay = 0;
  private last = 0;
  private ended = false;

  /** `rate`: turns per second. */
  constructor(private readonly rate: number) {}

  /** Does the work once its turn comes. Throws {@link Ended}. */
  async take<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve, reject) => this.waiting[turn].push({ resolve, reject }));
    try {
      return await work();
    } finally {
      this.underWay--;
    }
  }

  /** Gives about so many turns. Fails when they take unreasonably long. */
  async give(turns: number): Promise<void> {
    const enough = this.given + turns;
    const deadline = performance.now() + (SLOWNESS * 1000 * turns) / this.rate;
    this.last = performance.now();
    while (this.given < enough && !this.ended) {
      if (performance.now() > deadline) throw new Error('the service does not keep up with the load');
      await sleep(TICK);
      this.release();
    }
  }

  /** Waits until the turns that were given have ended. */
  async rest(): Promise<void> {
    while (this.underWay > 0) await sleep(POLL_INTERVAL);
  }

  /** Gives no turn any more. */
  end(): void {
    this.ended = true;
    for (const { reject } of Object.values(this.waiting).flat()) reject(new Ended());
  }

  private release(): void {
    const now = performance.now();
    const requests = (this.rate * (now - this.last)) / 1000 / (1 + FAULTS_PER_REQUEST);
    this.last = now;
    this.due.request = Math.min(this.due.request + requests, MOST_DUE);
    // In proportion to the requests that are really made, so that the share holds when they are held up.
    this.due.fault += FAULTS_PER_REQUEST * this.releaseOf('request');
    this.releaseOf('fault');
  }

  private releaseOf(turn: Turn): number {
    const released = this.waiting[turn].splice(0, Math.floor(this.due[turn]));
    this.due[turn] -= released.length;
    this.underWay += released.length;
    this.given += released.length;
    for (const { resolve } of released) resolve();
    return released.length;
  }
}
