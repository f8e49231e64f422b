import { Summary } from 'prom-client';

/** Milliseconds after which a highest value begins to be forgotten; it is after as many more. */
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
export type MetricFacts = Readonly<{ name: string; help: string; labelNames?: readonly string[] }>;

export type TimerReading = readonly [Labels, Pick<Timer, 'count' | 'sum' | 'max'>];

/** The timers of each combination of labels. prom-client's Summary keeps a digest for quantiles, which costs too much here. */
export class TimerSummary extends Summary {
  private readonly timers = new Map<string, readonly [Labels, Timer]>();

  constructor(
    private readonly about: MetricFacts,
    private readonly readings?: () => Iterable<TimerReading>,
  ) {
    super({ ...about, percentiles: [], registers: [] });
  }

  read(): Iterable<TimerReading> {
    return this.readings?.() ?? this.timers.values();
  }

  /** Its series is there from now on. */
  timer(labels: Labels): Timer {
    const key = Object.values(labels).join();
    const [, timer] = this.timers.get(key) ?? [labels, new Timer()];
    this.timers.set(key, [labels, timer]);
    return timer;
  }

  override async get() {
    const { name } = this.about;
    const values = Array.from(this.read(), ([labels, { count, sum }]) => [
      { metricName: `${name}_count`, labels, value: count },
      { metricName: `${name}_sum`, labels, value: sum },
    ]).flat();
    return { ...(await super.get()), values };
  }
}
