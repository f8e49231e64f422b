import type { FactoryProvider, InjectionToken, Provider } from '@nestjs/common';
import * as prometheus from '@willsoto/nestjs-prometheus';
import { type Gauge, type Metric, Registry, Summary } from 'prom-client';
import type { Labels, TimerReading } from './timer.js';

type MetricFacts = Readonly<{ name: string; help: string; labelNames?: readonly string[] }>;

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

/** prom-client's Summary keeps a digest for quantiles, which costs too much here. */
class TimerSummary extends Summary {
  constructor(
    private readonly about: MetricFacts,
    private readonly read: () => Iterable<TimerReading>,
  ) {
    super({ ...about, percentiles: [], registers: [] });
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

/** In Micrometer's form: a summary without quantiles and, as `<name>_max`, a gauge. */
export function timerProviders(options: MetricFacts & Source<Iterable<TimerReading>>): Provider[] {
  const { inject = [], read, ...about } = options;
  const useFactory = (...injected: never[]) => new TimerSummary(about, () => read(...injected));
  const longest = gaugeProvider({
    ...about,
    name: `${about.name}_max`,
    help: `${about.help} The longest of late.`,
    inject,
    read: (...injected) => Array.from(read(...injected), ([labels, { max }]) => [labels, max] as const),
  });
  return [own({ provide: prometheus.getToken(about.name), inject, useFactory }), longest];
}
