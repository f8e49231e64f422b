const WINDOW_MS = 120_000;
const SLICES = 3;
const SLICE_MS = WINDOW_MS / SLICES;

/**
 * The highest value of about the last two minutes, forgotten slice by slice: a value stays for 80 to 120 seconds.
 * Works as Micrometer's class of this name, so that the `_max` gauges of its dashboards mean the same here.
 */
export class TimeWindowMax {
  private readonly slices = new Array<number>(SLICES).fill(0);
  private oldest = 0;
  private turnedAt: number;

  constructor(private readonly clock: () => number = () => performance.now()) {
    this.turnedAt = clock();
  }

  record(value: number): void {
    this.turn();
    for (let slice = 0; slice < SLICES; slice++) {
      this.slices[slice] = Math.max(this.slices[slice] ?? 0, value);
    }
  }

  get value(): number {
    this.turn();
    return this.slices[this.oldest] ?? 0;
  }

  /** Every slice holds what came since it was last the oldest; that one starts anew, and the next is read. */
  private turn(): void {
    const passed = Math.floor((this.clock() - this.turnedAt) / SLICE_MS);
    for (let turns = Math.min(passed, SLICES); turns > 0; turns--) {
      this.slices[this.oldest] = 0;
      this.oldest = (this.oldest + 1) % SLICES;
    }
    if (passed > 0) this.turnedAt += passed * SLICE_MS;
  }
}
