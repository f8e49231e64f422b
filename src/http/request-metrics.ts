import { Injectable } from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { gauge, type Labels } from '../metrics/gauge.js';
import { exposeTimers, RecentMax, type Timers } from '../metrics/timer.js';
import { type FinishedRequest, Requests } from './requests.js';

const NAME = 'http_server_requests_seconds';
const LABELS = ['method', 'uri', 'status', 'outcome', 'exception', 'error'] as const;
/** Seconds. Most responses take a few milliseconds, a sign-in about a hundred, and after ten nobody waits. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const OTHER = 'OTHER';
const UNKNOWN = 'UNKNOWN';
const OUTCOMES = ['INFORMATIONAL', 'SUCCESS', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR'];

/** The requests of one combination of labels. */
interface Series {
  readonly labels: Labels;
  readonly durations: Histogram.Internal<(typeof LABELS)[number]>;
  readonly max: RecentMax;
}

/** Counts and times every request, under Micrometer's names. */
@Injectable()
export class RequestMetrics {
  private readonly series = new Map<string, Series>();
  private readonly histogram: Histogram<(typeof LABELS)[number]>;

  constructor(
    registry: Registry,
    private readonly requests: Requests,
  ) {
    const help = 'Time from the first hook to the last byte of the response, by route template.';
    const about = { name: NAME, help, labelNames: LABELS };
    this.histogram = new Histogram({ ...about, buckets: BUCKETS, registers: [registry] });
    const longest = { ...about, name: `${NAME}_max`, help: 'The longest request of the last two minutes.' };
    gauge(registry, longest, () =>
      Array.from(this.series.values(), ({ labels, max }) => [labels, max.value]),
    );
    const active = {
      name: 'http_server_requests_active_seconds',
      help: 'Requests in flight, and how long they have been so.',
      labelNames: ['method'],
    };
    exposeTimers(registry, active, () => this.readInFlight());
    requests.onFinished.push((request) => this.record(request));
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
      series = { labels, durations: this.histogram.labels(labels), max: new RecentMax() };
      this.series.set(key, series);
    }
    series.durations.observe(seconds);
    series.max.record(seconds);
  }

  private readInFlight(): Timers {
    const [now, { inFlight }] = [performance.now(), this.requests];
    return [...METHODS, OTHER].map((method) => {
      const own = inFlight.filter(({ request }) => known(request.method) === method);
      const ages = own.map(({ startedAt }) => (now - startedAt) / 1000);
      const sum = ages.reduce((one, other) => one + other, 0);
      return [{ method }, { count: ages.length, sum, max: Math.max(0, ...ages) }];
    });
  }
}

/** Node's parser knows some thirty methods, and no resource here more than these. */
function known(method = ''): string {
  return METHODS.includes(method) ? method : OTHER;
}
