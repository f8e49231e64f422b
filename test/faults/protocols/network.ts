import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseProxy } from '../../support/database-proxy.js';
import type { Criterion, Protocol } from '../protocol.js';
import { ConnectionCount } from '../support/connection-count.js';
import {
  allEndWithin,
  allSucceedFrom,
  criterion,
  failuresAreProblems,
  livenessStaysUp,
  probesAnswerWithin,
  serviceIsWell,
  succeedAtLeast,
  within,
} from '../support/criteria.js';
import { type Scene, settle } from '../support/rig.js';
import { POOL_SIZE, STATEMENT_TIMEOUT } from './limits.js';

const ADDED_LATENCY = 500;
const HALF_CLOSE_INTERVAL = 500;
const HEALED_WITHIN = 3000;
const UP_BOUND = 5000;
const DOWN_BOUND = 3000;
const PROBE_BOUND = 1000;
const READS_THROUGH = 90;
/** The health check has a connection of its own. */
const MOST_AT_PROXY = POOL_SIZE + 1;

interface Trouble {
  readonly name: string;
  readonly title: string;
  /** Brings it about, and ends when it is over. */
  readonly happen: (proxy: DatabaseProxy, lasting: number) => Promise<void>;
  /** Whether nothing works meanwhile, or reads come through. */
  readonly expect?: 'nothing' | 'reads';
}

const TROUBLES: readonly Trouble[] = [
  {
    name: 'network-slow',
    title: `the database is ${ADDED_LATENCY} ms further away`,
    async happen(proxy, lasting) {
      proxy.slowDown(ADDED_LATENCY);
      await sleep(lasting);
    },
  },
  {
    name: 'network-black-hole',
    title: 'nothing comes through to the database or back, and nobody is told',
    expect: 'nothing',
    async happen(proxy, lasting) {
      proxy.swallow();
      await sleep(lasting);
    },
  },
  {
    name: 'network-reset',
    title: 'connections are reset in the middle of an answer, one answer in fifty',
    expect: 'reads',
    async happen(proxy, lasting) {
      proxy.cutOff();
      await sleep(lasting);
    },
  },
  {
    name: 'network-half-close',
    title: 'all connections are ended in one direction, twice a second',
    expect: 'reads',
    async happen(proxy, lasting) {
      for (const end = performance.now() + lasting; performance.now() < end;) {
        proxy.halfClose();
        await sleep(HALF_CLOSE_INTERVAL);
      }
    },
  },
];

export const NETWORK_TROUBLES: readonly Protocol[] = TROUBLES.map((trouble) => ({
  name: trouble.name,
  title: trouble.title,
  async run(rig, { short }) {
    const proxy = await DatabaseProxy.open();
    rig.defer(() => proxy.close());
    const scene = await rig.scene({ route: (url) => proxy.url(url) });
    const connections = await ConnectionCount.start(scene.cluster);
    scene.probes.start();
    scene.load.start();
    await sleep(short ? 1000 : 5000);
    proxy.watch();
    const begin = performance.now();
    await trouble.happen(proxy, short ? 3000 : 20_000);
    proxy.heal();
    const end = performance.now();
    await sleep(short ? 4000 : 15_000);
    const counts = [
      atMost('connections at the proxy', proxy.mostOpen, MOST_AT_PROXY),
      atMost("the pool's connections in pg_stat_activity", await connections.stop(), POOL_SIZE),
    ];
    return [...(await judge(scene, trouble, begin, end)), ...counts];
  },
}));

async function judge(scene: Scene, { expect }: Trouble, begin: number, end: number): Promise<Criterion[]> {
  const ledger = await settle(scene);
  const { load, probes, service } = scene;
  const { replies } = load;
  const bound = STATEMENT_TIMEOUT + 2000;
  return [
    ...ledger,
    allEndWithin(replies, bound),
    ...failuresAreProblems(replies, bound),
    ...(expect === 'reads' ? [succeedAtLeast('reads', load.reads, READS_THROUGH)] : []),
    ...(expect === 'nothing'
      ? [within('readiness DOWN', probes.readinessTurned(503, begin), DOWN_BOUND)]
      : []),
    probesAnswerWithin('readiness answers', probes.readiness, PROBE_BOUND),
    within('readiness UP for good afterwards', probes.readinessSettled(end), UP_BOUND),
    allSucceedFrom(
      `every request succeeds ${HEALED_WITHIN / 1000} s afterwards`,
      replies,
      end + HEALED_WITHIN,
    ),
    ...livenessStaysUp(probes),
    ...serviceIsWell(service),
  ];
}

function atMost(name: string, found: number, most: number): Criterion {
  return criterion(`${name} ≤ ${most}`, found > 0 && found <= most, String(found));
}
