import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol } from '../protocol.js';
import type { Cluster } from '../support/cluster.js';
import {
  allSucceedFrom,
  criterion,
  failuresAreProblems,
  livenessStaysUp,
  probesAnswerWithin,
  serviceIsWell,
  succeedAtLeast,
  within,
} from '../support/criteria.js';
import { count } from '../support/figures.js';
import { succeeded } from '../support/http.js';
import { settle } from '../support/rig.js';

const FAILURE_BOUND = 3000;
const PROBE_BOUND = 1000;
const TURN_BOUND = 3000;
/** A transaction that began before it may write on for a moment. */
const GRACE = 500;

/** How PostgreSQL comes to refuse writes, and to take them again. */
interface Spell {
  readonly name: string;
  readonly title: string;
  readonly begin: (cluster: Cluster) => Promise<void>;
  readonly end: (cluster: Cluster) => Promise<void>;
  /** It is never away: no read fails. */
  readonly isReachable: boolean;
}

const SPELLS: readonly Spell[] = [
  {
    name: 'read-only',
    title: 'PostgreSQL takes no writes for a while (default_transaction_read_only)',
    isReachable: true,
    async begin(cluster) {
      await cluster.sql('ALTER SYSTEM SET default_transaction_read_only = on');
      await cluster.sql('SELECT pg_reload_conf()');
    },
    async end(cluster) {
      await cluster.sql('ALTER SYSTEM RESET default_transaction_read_only');
      await cluster.sql('SELECT pg_reload_conf()');
    },
  },
  {
    name: 'standby',
    title: 'PostgreSQL comes back as a standby, and is promoted later',
    isReachable: false,
    async begin(cluster) {
      cluster.signal('SIGINT');
      await cluster.gone();
      cluster.becomeStandby();
      await cluster.start();
    },
    async end(cluster) {
      await cluster.sql('SELECT pg_promote()');
    },
  },
];

export const READ_ONLY_SPELLS: readonly Protocol[] = SPELLS.map(
  ({ name, title, begin, end, isReachable }) => ({
    name,
    title,
    async run(rig, { short }) {
      const scene = await rig.scene();
      const { cluster, load, probes, service } = scene;
      probes.start();
      load.start();
      await sleep(short ? 1500 : 5000);
      const beganAt = performance.now();
      await begin(cluster);
      const readsAt = performance.now() + GRACE;
      await sleep(short ? 3000 : 20_000);
      const endsAt = performance.now();
      await end(cluster);
      const backAt = performance.now();
      await sleep(short ? 2000 : 10_000);
      const ledger = await settle(scene);
      const settled = probes.readinessSettled(backAt);
      const meanwhile = load.writes.filter(({ sentAt, took }) => sentAt >= readsAt && sentAt + took < endsAt);
      const taken = meanwhile.filter(succeeded).length;
      return [
        ...ledger,
        ...failuresAreProblems(load.replies, FAILURE_BOUND),
        criterion(
          'no write is taken meanwhile',
          meanwhile.length > 0 && taken === 0,
          `${count(taken)} of ${count(meanwhile.length)}`,
        ),
        ...(isReachable ? [succeedAtLeast('reads', load.reads, 100)] : []),
        within('readiness DOWN', probes.readinessTurned(503, beganAt), TURN_BOUND),
        probesAnswerWithin('readiness answers', probes.readiness, PROBE_BOUND),
        within('readiness UP for good once it takes writes', settled, TURN_BOUND),
        allSucceedFrom('every request succeeds once readiness is UP', load.replies, backAt + settled),
        ...livenessStaysUp(probes),
        ...serviceIsWell(service),
      ];
    },
  }),
);
