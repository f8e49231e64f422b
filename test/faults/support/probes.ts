import { Caller, type Reply, steadily } from './http.js';
import type { Rig } from './rig.js';

/** Of each probe, per second. */
const RATE = 20;

/** Asks both probes again and again, without waiting for responses. */
export class Probes {
  readonly liveness: Reply[] = [];
  readonly readiness: Reply[] = [];
  /** Asks nothing more, and waits for the responses. */
  readonly stop: () => Promise<void>;

  constructor(rig: Rig, url: string) {
    const caller = new Caller(url);
    const ends = (['liveness', 'readiness'] as const).map((name) =>
      steadily(RATE, async () => this[name].push(await caller.get(`/actuator/health/${name}`))),
    );
    this.stop = rig.defer(async () => {
      await Promise.all(ends.map((end) => end()));
      caller.close();
    });
  }

  /** Time from that moment to the first response of readiness with this status; Infinity without one. */
  readinessTurned(wanted: number, after: number): number {
    const turned = this.readiness.filter(({ status, sentAt }) => status === wanted && sentAt >= after);
    return Math.min(Infinity, ...turned.map(({ sentAt, took }) => sentAt + took - after));
  }

  /** Time from that moment until readiness is UP for good. */
  readinessSettled(after: number): number {
    const bad = this.readiness.filter(({ status, sentAt, took }) => status !== 200 && sentAt + took > after);
    const lastBad = Math.max(after, ...bad.map(({ sentAt }) => sentAt));
    return this.readinessTurned(200, lastBad) + lastBad - after;
  }
}
