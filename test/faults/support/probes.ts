import { Caller } from './http.js';

/** The response to a probe. */
export interface Probe {
  readonly sentAt: number;
  readonly took: number;
  /** 0 without a response. */
  readonly code: number;
}

/** Milliseconds. */
const INTERVAL = 50;

/** Asks both probes again and again, without waiting for responses. */
export class Probes {
  readonly liveness: Probe[] = [];
  readonly readiness: Probe[] = [];
  private readonly caller: Caller;
  private readonly pending = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(url: string) {
    this.caller = new Caller(url);
  }

  start(): this {
    this.timer = setInterval(() => {
      for (const name of ['liveness', 'readiness'] as const) {
        const entry = this.ask(name).finally(() => this.pending.delete(entry));
        this.pending.add(entry);
      }
    }, INTERVAL);
    return this;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.pending);
    this.caller.close();
  }

  /** Time from that moment to the first response of readiness with this code; Infinity without one. */
  readinessTurned(code: number, after: number): number {
    const turned = this.readiness
      .filter((probe) => probe.code === code && probe.sentAt >= after)
      .map(({ sentAt, took }) => sentAt + took - after);
    return Math.min(Infinity, ...turned);
  }

  /** Time from that moment until readiness is UP for good. */
  readinessSettled(after: number): number {
    const bad = this.readiness.filter(({ code, sentAt, took }) => code !== 200 && sentAt + took > after);
    const lastBad = bad.reduce((latest, { sentAt }) => Math.max(latest, sentAt), after);
    return this.readinessTurned(200, lastBad) + lastBad - after;
  }

  private async ask(name: 'liveness' | 'readiness'): Promise<void> {
    const { sentAt, took, status: code } = await this.caller.get(`/actuator/health/${name}`);
    this[name].push({ sentAt, took, code });
  }
}
