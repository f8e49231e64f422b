import { Caller } from './http.js';

/** The answer to a probe. */
export interface Probe {
  readonly sentAt: number;
  readonly took: number;
  /** 0 when no answer came. */
  readonly code: number;
  /** The word of its body. */
  readonly status: string;
}

/** Milliseconds. */
const INTERVAL = 50;

/** Asks both probes over and over, each time without waiting for the last answer. */
export class Probes {
  readonly liveness: Probe[] = [];
  readonly readiness: Probe[] = [];
  private readonly caller: Caller;
  private readonly pending = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    url: string,
    private readonly interval = INTERVAL,
  ) {
    this.caller = new Caller(url);
  }

  start(): this {
    this.timer = setInterval(() => {
      for (const name of ['liveness', 'readiness'] as const) {
        const entry = this.ask(name).finally(() => this.pending.delete(entry));
        this.pending.add(entry);
      }
    }, this.interval);
    return this;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.pending);
    this.caller.close();
  }

  /** How long after that moment readiness first said so; Infinity when it never did. */
  readinessTurned(code: number, after: number): number {
    const turned = this.readiness
      .filter((probe) => probe.code === code && probe.sentAt >= after)
      .map(({ sentAt, took }) => sentAt + took - after);
    return Math.min(Infinity, ...turned);
  }

  /** From that moment to the last bad answer of readiness: when it was up for good. */
  readinessSettled(after: number): number {
    const bad = this.readiness.filter(({ code, sentAt, took }) => code !== 200 && sentAt + took > after);
    const lastBad = bad.reduce((latest, { sentAt }) => Math.max(latest, sentAt), after);
    return this.readinessTurned(200, lastBad) + lastBad - after;
  }

  private async ask(name: 'liveness' | 'readiness'): Promise<void> {
    const { sentAt, took, status: code, text } = await this.caller.get(`/actuator/health/${name}`);
    const status = /"status":"(\w+)"/.exec(text)?.[1] ?? 'none';
    this[name].push({ sentAt, took, code, status });
  }
}
