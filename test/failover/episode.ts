import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../faults/protocol.js';
import { allSucceedFrom, failuresAreProblems, livenessStaysUp, within } from '../faults/support/criteria.js';
import { Caller, succeeded } from '../faults/support/http.js';
import type { Ledger } from '../faults/support/ledger.js';
import { Load, type Owner } from '../faults/support/load.js';
import { Probes } from '../faults/support/probes.js';
import type { Service } from '../faults/support/service.js';
import type { Pair } from './pair.js';
import { ReadOnlyConnections } from './read-only-connections.js';

/** Whoever promotes the standby needs that long to notice. */
const NOTICED = 1000;
const BEFORE = 3000;
const AFTER = 4000;
const WRITES_BOUND = 3000;
const FAILURE_BOUND = 3000;
/** Whoever asks for it gives up then. */
const LIVENESS_BOUND = 1000;

export interface Books {
  readonly owners: readonly Owner[];
  readonly ledger: Ledger;
}

/** The primary is killed under load, the standby promoted, and what was killed comes back as the standby. */
export async function failover(pair: Pair, service: Service, books: Books): Promise<Criterion[]> {
  const { owners, ledger } = books;
  const load = new Load(new Caller(service.url), owners, ledger).start();
  const probes = new Probes(service.url).start();
  const connections = new ReadOnlyConnections(pair);
  const stop = (): Promise<unknown> => Promise.all([load.stop(), probes.stop(), connections.stop()]);
  try {
    await sleep(BEFORE);
    const killedAt = performance.now();
    await pair.killPrimary();
    await sleep(killedAt + NOTICED - performance.now());
    const promotedAt = performance.now();
    await pair.promote();
    await sleep(AFTER);
    await pair.rejoin();
    await sleep(AFTER);
    await stop();
    const again = load.writes.filter(succeeded).map(({ sentAt, took }) => sentAt + took);
    const first = Math.min(Infinity, ...again.filter((answeredAt) => answeredAt > promotedAt));
    const settled = probes.readinessSettled(killedAt);
    return [
      within('writes go again after the kill', first - killedAt, WRITES_BOUND),
      within('readiness is UP for good after the kill', settled, WRITES_BOUND),
      ...failuresAreProblems(load.replies, FAILURE_BOUND),
      allSucceedFrom('nothing fails from then on', load.replies, killedAt + settled),
      await connections.stop(),
      ...livenessStaysUp(probes, LIVENESS_BOUND),
      ...(await ledger.check(pair.primary.sql)),
    ];
  } finally {
    await stop();
  }
}
