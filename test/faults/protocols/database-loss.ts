import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion, FaultOptions, Protocol } from '../protocol.js';
import type { Cluster } from '../support/cluster.js';
import {
  allSucceedFrom,
  failuresAreProblems,
  livenessStaysUp,
  serviceIsWell,
  succeedAtLeast,
  within,
} from '../support/criteria.js';
import { type Scene, settle } from '../support/rig.js';

const FAILURE_BOUND = 3000;
const DOWN_BOUND = 3000;
const UP_BOUND = 5000;
const READS_THROUGH = 90;

/** How PostgreSQL is lost and comes back. */
interface Loss {
  readonly name: string;
  readonly title: string;
  /** Ends when it is back. */
  readonly happen: (cluster: Cluster, awayTime: number, options: FaultOptions) => Promise<void>;
  /** It is away for long enough for a probe to see. Else reads have to come through. */
  readonly lasting: boolean;
}

const LOSSES: readonly Loss[] = [
  {
    name: 'crash',
    title: 'every process of PostgreSQL killed at once, started again later',
    lasting: true,
    happen: awayAfter((cluster) => cluster.signalAll('SIGKILL')),
  },
  {
    name: 'immediate-shutdown',
    title: 'PostgreSQL told to leave at once (SIGQUIT), started again later',
    lasting: true,
    happen: awayAfter((cluster) => cluster.signal('SIGQUIT')),
  },
  {
    name: 'fast-shutdown',
    title: 'PostgreSQL stopped in order (SIGINT), started again later',
    lasting: true,
    happen: awayAfter((cluster) => cluster.signal('SIGINT')),
  },
  {
    name: 'backend-killed',
    title: 'one backend of the service killed: PostgreSQL ends all others and recovers',
    lasting: false,
    async happen(cluster) {
      const [pid] = await cluster.poolConnections();
      if (pid === undefined) throw new Error('the service has no connection to kill');
      process.kill(pid, 'SIGKILL');
      await cluster.returned();
    },
  },
  {
    name: 'backends-terminated',
    title: 'all connections of the service ended by an administrator, twice a second',
    lasting: false,
    async happen(cluster, _, { short }) {
      for (let left = short ? 6 : 60; left > 0; left--) {
        await cluster.sql(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`,
        );
        await sleep(500);
      }
    },
  },
];

function awayAfter(leave: (cluster: Cluster) => void): Loss['happen'] {
  return async (cluster, awayTime) => {
    leave(cluster);
    await cluster.gone();
    await sleep(awayTime);
    await cluster.start();
  };
}

export const DATABASE_LOSSES: readonly Protocol[] = LOSSES.map((loss) => ({
  name: loss.name,
  title: loss.title,
  async run(rig, options) {
    const scene = await rig.scene();
    scene.probes.start();
    scene.load.start();
    await sleep(options.short ? 1500 : 5000);
    const lostAt = performance.now();
    await loss.happen(scene.cluster, options.short ? 2000 : 10_000, options);
    const backAt = performance.now();
    await sleep(options.short ? (loss.lasting ? 2000 : 7000) : 10_000); // a share of the reads needs some
    return judge(scene, loss, lostAt, backAt);
  },
}));

async function judge(scene: Scene, { lasting }: Loss, lostAt: number, backAt: number): Promise<Criterion[]> {
  const ledger = await settle(scene);
  const { load, probes, service } = scene;
  const { replies } = load;
  const settled = probes.readinessSettled(backAt);
  return [
    ...ledger,
    ...failuresAreProblems(replies, FAILURE_BOUND),
    ...(lasting
      ? [within('readiness DOWN after the loss', probes.readinessTurned(503, lostAt), DOWN_BOUND)]
      : [succeedAtLeast('reads', load.reads, READS_THROUGH)]),
    within('readiness UP for good after the return', settled, UP_BOUND),
    allSucceedFrom('every request succeeds once readiness is UP', replies, backAt + settled),
    ...livenessStaysUp(probes),
    ...serviceIsWell(service),
  ];
}
