import type { Metric, Registry } from 'prom-client';
import { type About, gauge, type Labels } from './gauge.js';

/** Milliseconds after which a highest value begins to be forgotten; it is after as many more. */
const SPAN = 60_000;

/** The highest value of the last one to two minutes, as the `_max` gauges of Micrometer have it. */
export class RecentMax {
  private latest = 0;
  private earlier = 0;
  private since: number;

  constructor(private readonly clock: () => number = () => performance.now()) {
    this.since = clock();
  }

  record(value: number): void {
    this.age();
    this.latest = Math.max(this.latest, value);
  }

  get value(): number {
    this.age();
    return Math.max(this.latest, this.earlier);
  }

  private age(): void {
    const spans = Math.floor((this.clock() - this.since) / SPAN);
    if (spans === 0) return;
    this.earlier = spans === 1 ? this.latest : 0;
    this.latest = 0;
    this.since += spans * SPAN;
  }
}

/** How often something took place, how long in all, and the longest of late. All times are seconds. */
export class Timer {
  count = 0;
  sum = 0;
  private readonly longest = new RecentMax();

  record(seconds: number): void {
    this.count++;
    this.sum += seconds;
    this.longest.record(seconds);
  }

  get max(): number {
    return this.longest.value;
  }
}

export type Timers = Iterable<readonly [Labels, Pick<Timer, 'count' | 'sum' | 'max'>]>;

/**
 * Adds timers in Micrometer's form: a summary without quantiles and, as `<name>_max`, a gauge. prom-client's own
 * Summary keeps a digest for quantiles, which costs more than much of what is timed here.
 */
export function exposeTimers(
  registry: Registry,
  { name, help, labelNames }: About,
  read: () => Timers,
): void {
  const summary = { name, help, type: 'summary' };
  const values = () =>
    Array.from(read(), ([labels, { count, sum }]) => [
      { metricName: `${name}_count`, labels, value: count },
      { metricName: `${name}_sum`, labels, value: sum },
    ]).flat();
  const metric = { ...summary, get: () => Promise.resolve({ ...summary, values: values() }) };
  registry.registerMetric(metric as unknown as Metric);
  const longest = { name: `${name}_max`, help: `${help} The longest of late.`, labelNames };
  gauge(registry, longest, () => Array.from(read(), ([labels, { max }]) => [labels, max]));
}
