import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import type { Histogram } from 'prom-client';
import { gaugeProvider, histogramProvider, timerProviders } from '../common/metrics/providers.js';
import { type Labels, Timer, type TimerReading } from '../common/metrics/timer.js';
import type { FinishedRequest } from './exchange.js';
import { Requests } from './requests.js';

const LABELS = ['method', 'uri', 'status', 'outcome', 'exception', 'error'] as const;
const DURATIONS = {
  name: 'http_server_requests_seconds',
  help: 'Time from the first hook to the last byte of the response, by route template.',
  labelNames: LABELS,
  // Most responses take a few milliseconds, a sign-in about a hundred, and after ten seconds nobody waits.
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const OTHER = 'OTHER';
const UNKNOWN = 'UNKNOWN';
const OUTCOMES = ['INFORMATIONAL', 'SUCCESS', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR'];

/** The requests of one combination of labels. */
interface Series {
  readonly labels: Labels;
  readonly durations: Histogram.Internal<(typeof LABELS)[number]>;
  readonly times: Timer;
}

/** Counts and times every request, under Micrometer's names. */
@Injectable()
export class RequestMetrics {
  private readonly series = new Map<string, Series>();

  constructor(
    @InjectMetric(DURATIONS.name) private readonly histogram: Histogram<(typeof LABELS)[number]>,
    requests: Requests,
  ) {
    requests.onFinished.push((request) => this.record(request));
  }

  get longest(): (readonly [Labels, number])[] {
    return Array.from(this.series.values(), ({ labels, times }) => [labels, times.max]);
  }

  private record(request: FinishedRequest): void {
    const { route = UNKNOWN, status = UNKNOWN, slug = 'none', seconds } = request;
    const method = request.method === undefined ? UNKNOWN : known(request.method);
    const key = `${method} ${route} ${status} ${slug}`;
    let series = this.series.get(key);
    if (series === undefined) {
      const labels = {
        method,
        uri: route.replaceAll(/:(\w+)/g, '{$1}'), // as Spring writes a template
        status: String(status),
        outcome: OUTCOMES[Number(String(status).charAt(0)) - 1] ?? UNKNOWN,
        exception: slug,
        error: slug,
      };
      series = { labels, durations: this.histogram.labels(labels), times: new Timer() };
      this.series.set(key, series);
    }
    series.durations.observe(seconds);
    series.times.record(seconds);
  }
}

export const REQUEST_METRICS = [
  histogramProvider(DURATIONS),
  gaugeProvider({
    name: `${DURATIONS.name}_max`,
    help: 'The longest request of the last two minutes.',
    labelNames: LABELS,
    inject: [RequestMetrics],
    read: ({ longest }: RequestMetrics) => longest,
  }),
  ...timerProviders({
    name: 'http_server_requests_active_seconds',
    help: 'Requests in flight, and how long they have been so.',
    labelNames: ['method'],
    inject: [Requests],
    read: timesInFlight,
  }),
];

function timesInFlight({ inFlight }: Requests): TimerReading[] {
  const now = performance.now();
  return [...METHODS, OTHER].map((method) => {
    const own = inFlight.filter(({ request }) => known(request.method) === method);
    const ages = own.map(({ startedAt }) => (now - startedAt) / 1000);
    const sum = ages.reduce((one, other) => one + other, 0);
    return [{ method }, { count: ages.length, sum, max: Math.max(0, ...ages) }];
  });
}

/** Node's parser knows some thirty methods, and no resource here more than these. */
function known(method = ''): string {
  return METHODS.includes(method) ? method : OTHER;
}
