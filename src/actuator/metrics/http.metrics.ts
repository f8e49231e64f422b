import { Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEMS, type ProblemSlug } from '../../http/problem/problem.js';
import { onRefusal, type Refusal } from '../../http/server/refusals.js';
import { Histogram, Registry } from 'prom-client';
import { type Labels, labelledGauge } from './registry.js';
import { TimeWindowMax } from './time-window-max.js';
import { exposeTimers, type TimerReading } from './timer.js';

const NAME = 'http_server_requests_seconds';
const LABELS = ['method', 'uri', 'status', 'outcome', 'exception', 'error'] as const;
/** Seconds. Most answers take a few milliseconds, a sign-in about a hundred, and after ten nobody waits. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);
const UNMATCHED = '/**';
const UNKNOWN = 'UNKNOWN';
const OUTCOMES = ['INFORMATIONAL', 'SUCCESS', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR'];

/** The requests of one combination of labels. */
interface Series {
  readonly labels: Labels;
  readonly durations: Histogram.Internal<(typeof LABELS)[number]>;
  readonly max: TimeWindowMax;
}

/** One request of which the answer is known. */
interface Outcome {
  readonly method: string;
  /** The route's template, as the router writes it. */
  readonly route: string;
  readonly status: string;
  readonly problem: ProblemSlug | 'none';
  readonly seconds: number;
}

interface RequestInFlight {
  readonly startedAt: number;
}

/** Counts and times every request, those included that were refused before they reached the router. */
@Injectable()
export class HttpMetrics {
  private readonly series = new Map<string, Series>();
  private readonly inFlight = new Map<string, Set<RequestInFlight>>();
  /** Those that the hooks have seen and that were refused behind their back. */
  private readonly refused = new WeakSet<IncomingMessage>();
  private readonly histogram: Histogram<(typeof LABELS)[number]>;

  constructor(registry: Registry) {
    const help = 'Time from the first hook to the last byte of the answer, by route template.';
    const about = { name: NAME, help, labelNames: LABELS };
    this.histogram = new Histogram({ ...about, buckets: BUCKETS, registers: [registry] });
    const longest = { name: `${NAME}_max`, help: 'The longest request of the last two minutes.' };
    labelledGauge(registry, { ...about, ...longest }, () =>
      Array.from(this.series.values(), ({ labels, max }) => [labels, max.value]),
    );
    exposeTimers(registry, {
      name: 'http_server_requests_active_seconds',
      help: 'Requests in flight, and how long they have been so.',
      maxHelp: 'How long the oldest of the requests in flight has been so.',
      labelNames: ['method'],
      read: () => this.readInFlight(),
    });
  }

  /** How many requests have come in and are not answered yet. */
  get active(): number {
    let count = 0;
    for (const exchanges of this.inFlight.values()) count += exchanges.size;
    return count;
  }

  /** Call it before any other hook is added, so that none refuses a request unseen. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      const exchange = { startedAt: performance.now() };
      const exchanges = this.exchangesOf(request.method);
      exchanges.add(exchange);
      // Not Fastify's onResponse, which never comes when the client has gone.
      reply.raw.once('close', () => {
        exchanges.delete(exchange);
        if (!this.refused.has(request.raw)) this.record(outcomeOf(request, reply, exchange.startedAt));
      });
      done();
    });
    onRefusal(fastify.server, (refusal) => {
      if (refusal.request !== undefined) this.refused.add(refusal.request);
      this.record(outcomeOfRefusal(refusal));
    });
  }

  private record({ method, route, status, problem, seconds }: Outcome): void {
    const key = `${method} ${route} ${status} ${problem}`;
    let series = this.series.get(key);
    if (series === undefined) {
      const outcome = OUTCOMES[Number(status.charAt(0)) - 1] ?? UNKNOWN;
      const uri = template(route);
      series = this.seriesOf({ method, uri, status, outcome, exception: problem, error: problem });
      this.series.set(key, series);
    }
    series.durations.observe(seconds);
    series.max.record(seconds);
  }

  private seriesOf(labels: Labels): Series {
    return { labels, durations: this.histogram.labels(labels), max: new TimeWindowMax() };
  }

  private exchangesOf(method: string): Set<RequestInFlight> {
    const name = knownMethod(method);
    let exchanges = this.inFlight.get(name);
    if (exchanges === undefined) this.inFlight.set(name, (exchanges = new Set()));
    return exchanges;
  }

  private *readInFlight(): Iterable<[Labels, TimerReading]> {
    const now = performance.now();
    for (const [method, exchanges] of this.inFlight) {
      let sum = 0;
      let max = 0;
      for (const { startedAt } of exchanges) {
        const seconds = (now - startedAt) / 1000;
        sum += seconds;
        max = Math.max(max, seconds);
      }
      yield [{ method }, { count: exchanges.size, sum, max }];
    }
  }
}

function outcomeOf(request: FastifyRequest, reply: FastifyReply, startedAt: number): Outcome {
  return {
    method: knownMethod(request.method),
    route: request.isUnfit ? UNKNOWN : routeOf(request),
    status: reply.raw.writableFinished ? String(reply.raw.statusCode) : UNKNOWN,
    problem: request.problem ?? 'none',
    seconds: secondsSince(startedAt),
  };
}

function outcomeOfRefusal({ request, slug, startedAt }: Refusal): Outcome {
  return {
    method: request?.method === undefined ? UNKNOWN : knownMethod(request.method),
    route: UNKNOWN,
    status: String(PROBLEMS[slug].status),
    problem: slug,
    seconds: secondsSince(startedAt),
  };
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}

/** Node's parser knows some thirty methods, and no resource here more than these. */
function knownMethod(method: string): string {
  return METHODS.has(method) ? method : 'OTHER';
}

function routeOf({ routeOptions: { url, config } }: FastifyRequest): string {
  // A route that only says 405, or the one of the preflights, is no resource.
  return url === undefined || config.allow !== undefined || url === '*' ? UNMATCHED : url;
}

/** `/api/properties/:id` → `/api/properties/{id}` */
function template(route: string): string {
  return route.replaceAll(/:(\w+)/g, '{$1}');
}
