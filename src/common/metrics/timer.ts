/** Milliseconds. A highest value is remembered for one to two of these spans. */
const SPAN = 60_000;

/** How often something took place, how long in all, and the longest of the last one to two minutes. All times are seconds. */
export class Timer {
  count = 0;
  sum = 0;
  private latest = 0;
  private earlier = 0;
  private since = performance.now();

  record(seconds: number): void {
    this.count++;
    this.sum += seconds;
    this.age();
    this.latest = Math.max(this.latest, seconds);
  }

  /** As the `_max` gauges of Micrometer have it. */
  get max(): number {
    this.age();
    return Math.max(this.latest, this.earlier);
  }

  private age(): void {
    const spans = Math.floor((performance.now() - this.since) / SPAN);
    if (spans === 0) return;
    this.earlier = spans === 1 ? this.latest : 0;
    this.latest = 0;
    this.since += spans * SPAN;
  }
}

export type Labels = Readonly<Record<string, string>>;

/** The timer of one combination of labels. */
export type TimerReading = readonly [Labels, Pick<Timer, 'count' | 'sum' | 'max'>];
