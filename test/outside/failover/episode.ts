import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../../faults/protocol.js';
import type { Owner } from '../../faults/support/accounts.js';
import {
  allSucceedFrom,
  criterion,
  failuresAreProblems,
  livenessStaysUp,
  within,
} from '../../faults/support/criteria.js';
import { count } from '../../faults/support/figures.js';
import { Caller, type Reply, succeeded } from '../../faults/support/http.js';
import type { Ledger } from '../../faults/support/ledger.js';
import { Load, type Rate } from '../../faults/support/load.js';
import { Probes } from '../../faults/support/probes.js';
import type { Service } from '../../faults/support/service.js';
import { longest, type Queried, ServerWatch, type Span } from './server-watch.js';

const BEFORE = 3000;
export const AFTER = 4000;
/** A request waits for DB_ACQUIRE_TIMEOUT, 2 s. */
const FAILURE_BOUND = 3000;
/** A prober gives up then. */
const LIVENESS_BOUND = 1000;
/** So long after the loss of the primary readiness has to say so. */
const NOTICED = 1000;

/** The service, the accounts that use it, and how much. */
export interface Usage {
  readonly service: Service;
  readonly owners: readonly Owner[];
  readonly rate?: Rate;
}

/** What is done to the servers, and for how long writes may pause because of it. */
export interface Happening {
  readonly bound: number;
  /** Returns the server that is the primary in the end. */
  readonly run: () => Promise<Queried>;
}

/** Something happens to the servers under load, and afterwards the books are held against the database. */
export async function underLoad(
  servers: readonly Queried[],
  usage: Usage,
  ledger: Ledger,
  { run, bound }: Happening,
): Promise<Criterion[]> {
  const users = new Users(usage, ledger);
  const watch = new ServerWatch(servers);
  const stop = (): Promise<unknown> => Promise.all([watch.stop(), users.stop()]);
  try {
    await sleep(BEFORE);
    const since = performance.now();
    const primary = await run();
    await sleep(AFTER);
    await stop();
    return [
      ...users.criteria(since, bound, watch.withoutPrimary),
      watch.noneStays(),
      ...(await ledger.check(primary.sql)),
    ];
  } finally {
    await stop();
  }
}

/** The load and the probes. */
class Users {
  private readonly load: Load;
  private readonly probes: Probes;
  private stopped: Promise<unknown> | undefined;
  private endedAt = NaN;

  constructor({ service, owners, rate }: Usage, ledger: Ledger) {
    this.load = new Load(new Caller(service.url), owners, ledger, rate).start();
    this.probes = new Probes(service.url).start();
  }

  async stop(): Promise<void> {
    this.stopped ??= Promise.all([this.load.stop(), this.probes.stop()]).then(
      () => (this.endedAt = performance.now()),
    );
    await this.stopped;
  }

  criteria(since: number, bound: number, withoutPrimary: Span): Criterion[] {
    const { load, probes } = this;
    const settled = probes.readinessSettled(since);
    const turned = Math.min(settled, probes.readinessTurned(503, since));
    return [
      within('writes pause', longestPause(load.writes, since, this.endedAt), bound),
      within('readiness is DOWN', settled - turned, bound),
      isHonest(probes, withoutPrimary),
      ...failuresAreProblems(load.replies, FAILURE_BOUND),
      allSucceedFrom('nothing fails from then on', load.replies, since + settled),
      ...livenessStaysUp(probes, LIVENESS_BOUND),
    ];
  }
}

function isHonest({ readiness }: Probes, { from, to }: Span): Criterion {
  const asked = readiness.filter(({ sentAt, took }) => sentAt > from + NOTICED && sentAt + took < to);
  const wrong = asked.filter(({ code }) => code === 200);
  const measured = `${count(wrong.length)} of ${count(asked.length)} probes`;
  return criterion('readiness is not UP while there is no primary', wrong.length === 0, measured);
}

/** The longest time in which no write was acknowledged. */
function longestPause(writes: readonly Reply[], since: number, end: number): number {
  const answered = writes.filter(succeeded).map(({ sentAt, took }) => sentAt + took);
  const moments = [since, ...answered.filter((at) => at > since), end].sort((a, b) => a - b);
  const { from, to } = longest(
    moments.slice(1).map((moment, index) => ({ from: moments[index] ?? since, to: moment })),
  );
  return to - from;
}
