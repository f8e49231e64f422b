import { setTimeout as sleep } from 'node:timers/promises';
import { newOwners } from '../../faults/support/accounts.js';
import { runCriteria } from '../../faults/support/command.js';
import {
  allSucceedFrom,
  failuresAreProblems,
  livenessStaysUp,
  serviceIsWell,
  within,
} from '../../faults/support/criteria.js';
import { highest } from '../../faults/support/figures.js';
import { succeeded } from '../../faults/support/http.js';
import { Load } from '../../faults/support/load.js';
import { Probes } from '../../faults/support/probes.js';
import { Rig } from '../../faults/support/rig.js';
import { PASSWORD, Patroni } from './patroni.js';

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

/** Moves of the leader, and the longest pause of writes. */
const MOVES: Readonly<Record<string, readonly [bound: number, move: (patroni: Patroni) => Promise<void>]>> = {
  'the leader and the standby change their roles': [
    STEPPING_DOWN + PROMOTION,
    (patroni) => patroni.switchover(),
  ],
  'the leader is killed and comes back': [
    TTL + PROMOTION,
    async (patroni) => {
      const lost = await patroni.leader();
      lost.kill();
      await patroni.leader(lost);
      await sleep(AFTER);
      await lost.start();
    },
  ],
};

/** The longest time without an acknowledged write, from that moment until now. */
function longestPause({ writes }: Load, since: number): number {
  const written = writes.filter(succeeded).map(({ sentAt, took }) => sentAt + took);
  const moments = [since, ...written.filter((at) => at > since).sort((a, b) => a - b), performance.now()];
  return highest(moments.slice(1).map((moment, index) => moment - moments[index]!));
}

await runCriteria({
  call: 'npm run test:failover',
  about:
    'The service behind HAProxy and three servers that Patroni runs by way of etcd, at 75 requests a second: a ' +
    'switchover, and the leader killed. Rows and totals must match the responses of the writes. Needs etcd, HAProxy, ' +
    'Python 3.11 and Debian’s PostgreSQL; PyPI has Patroni.',
  async run(_, cleanup, tell) {
    const rig = new Rig(cleanup);
    const patroni = await Patroni.start(rig);
    const service = await rig.launch({ databaseUrl: patroni.url, env: { DB_PASSWORD: PASSWORD } }).ready();
    const load = new Load(rig, service.url, await newOwners(service.url), RATE).start();
    const probes = new Probes(rig, service.url);
    for (const [title, [bound, move]] of Object.entries(MOVES)) {
      await sleep(BEFORE);
      const since = performance.now();
      await move(patroni);
      await patroni.settled();
      await sleep(AFTER);
      const settled = probes.readinessSettled(since);
      const turned = Math.min(settled, probes.readinessTurned(503, since));
      const criteria = [
        within('writes pause', longestPause(load, since), bound),
        within('readiness is DOWN', settled - turned, bound),
        allSucceedFrom('nothing fails from then on', load.replies, since + settled),
      ];
      tell(criteria, title);
    }
    await Promise.all([load.stop(), probes.stop()]);
    const criteria = [
      ...failuresAreProblems(load.replies, FAILURE_BOUND),
      ...livenessStaysUp(probes, LIVENESS_BOUND),
      ...(await load.ledger.check((await patroni.leader()).sql)),
      ...serviceIsWell(service),
    ];
    tell(criteria, 'the service');
  },
});
