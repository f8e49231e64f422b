import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from '../../../bench/command.js';
import type { Criterion } from '../../faults/protocol.js';
import { runCriteria } from '../../faults/support/command.js';
import {
  allSucceedFrom,
  failuresAreProblems,
  livenessStaysUp,
  serviceIsWell,
  within,
} from '../../faults/support/criteria.js';
import { highest } from '../../faults/support/figures.js';
import { Caller, succeeded } from '../../faults/support/http.js';
import { Ledger } from '../../faults/support/ledger.js';
import { Load } from '../../faults/support/load.js';
import { Probes } from '../../faults/support/probes.js';
import { type Rig, withRig } from '../../faults/support/rig.js';
import { PASSWORD, Patroni, type PatroniServer } from './patroni.js';

const RATE = { writes: 50, reads: 25 };
/** Milliseconds. The ttl of deploy/patroni/patroni.yml: Patroni waits so long for a silent leader. */
const TTL = 20_000;
/** Patroni makes sure, in a loop of 2 s, that the leader has ended and the standby has all its rows. */
const STEPPING_DOWN = 3000;
/** The standby becomes the primary, and HAProxy finds it. */
const PROMOTION = 3000;
const [BEFORE, AFTER] = [3000, 4000];
/** A request waits for DB_ACQUIRE_TIMEOUT, 2 s. */
const FAILURE_BOUND = 3000;
const LIVENESS_BOUND = 1000;

/** The longest of the spans between neighbouring moments. */
function longestGap(moments: readonly number[]): number {
  return highest(moments.slice(1).map((moment, index) => moment - moments[index]!));
}

/** Moves the leader under load, which may stop writes for `bound` ms; then holds the books against the database. */
async function underLoad(
  load: Load,
  probes: Probes,
  ledger: Ledger,
  { move, bound }: { readonly move: () => Promise<PatroniServer>; readonly bound: number },
): Promise<Criterion[]> {
  await sleep(BEFORE);
  const since = performance.now();
  const leader = await move();
  await sleep(AFTER);
  await Promise.all([load.stop(), probes.stop()]);
  const settled = probes.readinessSettled(since);
  const turned = Math.min(settled, probes.readinessTurned(503, since));
  const written = load.writes.filter(succeeded).map(({ sentAt, took }) => sentAt + took);
  const moments = [since, ...written.filter((at) => at > since).sort((a, b) => a - b), performance.now()];
  return [
    within('writes pause', longestGap(moments), bound),
    within('readiness is DOWN', settled - turned, bound),
    ...failuresAreProblems(load.replies, FAILURE_BOUND),
    allSucceedFrom('nothing fails from then on', load.replies, since + settled),
    ...livenessStaysUp(probes, LIVENESS_BOUND),
    ...(await ledger.check(leader.sql)),
  ];
}

function movesOf(patroni: Patroni) {
  return {
    'the leader and the standby change their roles': {
      bound: STEPPING_DOWN + PROMOTION,
      move: async () => {
        await patroni.switchover();
        await patroni.settled();
        return patroni.leader();
      },
    },
    'the leader is killed and comes back': {
      bound: TTL + PROMOTION,
      move: async () => {
        const lost = await patroni.leader();
        lost.kill();
        const leader = await patroni.leader(lost);
        await sleep(AFTER);
        await lost.start();
        await patroni.settled();
        return leader;
      },
    },
  };
}

await runCriteria({
  call: 'npm run test:failover',
  about:
    'The service behind HAProxy and three servers that Patroni runs by way of etcd, at 75 requests a second: a ' +
    'switchover, and the leader killed. Rows and totals must match the responses of the writes. Needs etcd, HAProxy, ' +
    'Python 3.11 and Debian’s PostgreSQL; PyPI has Patroni.',
  options: {},
  async run(_, atTheEnd, tell) {
    await withRig(atTheEnd, async (rig: Rig) => {
      progress('starting etcd, Patroni and HAProxy');
      const patroni = await Patroni.start(rig);
      const service = await rig.launch({ databaseUrl: patroni.url, env: { DB_PASSWORD: PASSWORD } }).ready();
      const owners = await rig.owners(service.url);
      const ledger = new Ledger();
      for (const [title, movement] of Object.entries(movesOf(patroni))) {
        progress(title);
        const load = new Load(new Caller(service.url), owners, ledger, RATE).start();
        const probes = new Probes(service.url).start();
        rig.defer(async () => {
          await Promise.all([load.stop(), probes.stop()]);
        });
        tell(await underLoad(load, probes, ledger, movement), title);
      }
      tell(serviceIsWell(service), 'the service');
    });
  },
});
