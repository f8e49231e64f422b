import type { Metric, Registry } from 'prom-client';
import { type Labels, labelledGauge } from './registry.js';
import { TimeWindowMax } from './time-window-max.js';

/** What a timer shows. All times are seconds. */
export interface TimerReading {
  readonly count: number;
  readonly sum: number;
  readonly max: number;
}

/** How often something took place, how long in all, and the longest of the last two minutes. */
export class Timer implements TimerReading {
  count = 0;
  sum = 0;
  private readonly longest = new TimeWindowMax();

  record(seconds: number): void {
    this.count++;
    this.sum += seconds;
    this.longest.record(seconds);
  }

  get max(): number {
    return this.longest.value;
  }
}

export interface TimerFamily {
  readonly name: string;
  readonly help: string;
  readonly maxHelp?: string;
  readonly labelNames: readonly string[];
  /** Every timer of this name with its labels, when they are scraped. */
  readonly read: () => Iterable<readonly [Labels, TimerReading]>;
}

/**
 * Adds timers in Micrometer's form: a summary without quantiles and, as `<name>_max`, a gauge. prom-client's own
 * Summary would keep a digest for the quantiles, which costs more than much of what is timed here.
 */
export function exposeTimers(registry: Registry, family: TimerFamily): void {
  const { name, help, labelNames, read } = family;
  const values = () =>
    Array.from(read(), ([labels, { count, sum }]) => [
      { metricName: `${name}_count`, labels, value: count },
      { metricName: `${name}_sum`, labels, value: sum },
    ]).flat();
  const summary = { name, help, type: 'summary' };
  const metric = { ...summary, get: () => Promise.resolve({ ...summary, values: values() }) };
  registry.registerMetric(metric as unknown as Metric);
  const { maxHelp = 'The longest of the last two minutes.' } = family;
  labelledGauge(registry, { name: `${name}_max`, help: maxHelp, labelNames }, () =>
    Array.from(read(), ([labels, { max }]) => [labels, max]),
  );
}
