import type { FactoryProvider, InjectionToken, Provider } from '@nestjs/common';
import * as prometheus from '@willsoto/nestjs-prometheus';
import { type Gauge, type Metric, Registry } from 'prom-client';
import { type MetricFacts, type Labels, type TimerReading, TimerSummary } from './timer.js';

/** A number, or one for each combination of labels. */
type GaugeReading = number | undefined | readonly (readonly [Labels, number])[];
export type Gauges = GaugeReading | Promise<GaugeReading>;

/** What a metric reads at each scrape, from what is injected. */
type Source<Reading> = Readonly<{ inject?: InjectionToken[]; read: (...injected: never[]) => Reading }>;

/** The same provider, its metric in the application's own registry: the package's default is the process's. */
function own(provider: Provider): Provider {
  const { inject = [], useFactory, ...rest } = provider as FactoryProvider<Metric>;
  const inOwnRegistry = async (registry: Registry, ...dependencies: unknown[]): Promise<Metric> => {
    const metric = await useFactory(...dependencies);
    registry.registerMetric(metric);
    return metric;
  };
  return { ...rest, inject: [Registry, ...inject], useFactory: inOwnRegistry };
}

export function counterProvider(about: MetricFacts): Provider {
  return own(prometheus.makeCounterProvider({ ...about, registers: [] }));
}

export function histogramProvider(about: MetricFacts & { readonly buckets: number[] }): Provider {
  return own(prometheus.makeHistogramProvider({ ...about, registers: [] }));
}

export function gaugeProvider({ read, ...about }: MetricFacts & Source<Gauges>): Provider {
  const collect = async function (this: Gauge, ...injected: unknown[]): Promise<void> {
    const reading = await read(...(injected as never[]));
    this.reset();
    const series = typeof reading === 'number' ? [[{}, reading] as const] : (reading ?? []);
    for (const [labels, value] of series) this.set(labels, value);
  };
  return own(prometheus.makeGaugeProvider({ ...about, registers: [], collect }));
}

/** In Micrometer's form: a summary without quantiles and, as `<name>_max`, a gauge. Without `read` it has its own timers. */
export function timerProviders(options: MetricFacts & Partial<Source<Iterable<TimerReading>>>): Provider[] {
  const { inject = [], read, ...about } = options;
  const provide = prometheus.getToken(about.name);
  const useFactory = (...injected: never[]) => new TimerSummary(about, read && (() => read(...injected)));
  const longest = gaugeProvider({
    ...about,
    name: `${about.name}_max`,
    help: `${about.help} The longest of late.`,
    inject: [provide],
    read: (timers: TimerSummary) => Array.from(timers.read(), ([labels, { max }]) => [labels, max] as const),
  });
  return [own({ provide, inject, useFactory }), longest];
}
