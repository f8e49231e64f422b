import { DatabaseProxy } from '../../support/database-proxy.js';
import type { Criterion, Protocol } from '../protocol.js';
import { countConnections } from '../support/connection-count.js';
import { criterion } from '../support/criteria.js';
import { AUTHENTICATION_CONNECTIONS, POOL_SIZE } from './limits.js';
import { type Outage, suffer } from './outage.js';

const ADDED_LATENCY = 500;
const HALF_CLOSE_INTERVAL = 500;
const READS_THROUGH = 90;
/** The health check has a connection of its own. */
const MOST_AT_PROXY = POOL_SIZE + AUTHENTICATION_CONNECTIONS + 1;

interface Trouble extends Pick<Outage, 'isDown' | 'reads'> {
  readonly name: string;
  readonly title: string;
  /** Brings it about; healing ends it. */
  readonly begin: (proxy: DatabaseProxy) => void;
}

const TROUBLES: readonly Trouble[] = [
  {
    name: 'network-slow',
    title: `the database is ${ADDED_LATENCY} ms further away`,
    begin: (proxy) => proxy.slowDown(ADDED_LATENCY),
  },
  {
    name: 'network-black-hole',
    title: 'nothing comes through to the database or back, and nobody is told',
    isDown: true,
    begin: (proxy) => proxy.swallow(),
  },
  {
    name: 'network-reset',
    title: 'connections are reset in the middle of an answer, one answer in fifty',
    reads: READS_THROUGH,
    begin: (proxy) => proxy.cutOff(),
  },
  {
    name: 'network-half-close',
    title: 'all connections are ended in one direction, twice a second',
    reads: READS_THROUGH,
    begin: (proxy) => proxy.halfClose(HALF_CLOSE_INTERVAL),
  },
];

export const NETWORK_TROUBLES: readonly Protocol[] = TROUBLES.map(({ name, title, begin, ...trouble }) => ({
  name,
  title,
  async run(rig, options) {
    const proxy = await DatabaseProxy.open();
    rig.defer(() => proxy.close());
    const scene = await rig.scene({ route: (url) => proxy.url(url) });
    const most = await countConnections(scene.cluster);
    return suffer(scene, options, {
      ...trouble,
      afterwards: [4000, 15_000],
      isSilent: true,
      healedWithin: 3000,
      begin() {
        proxy.watch();
        begin(proxy);
        return () => proxy.heal();
      },
      judge: async () => [
        atMost('connections at the proxy', proxy.mostOpen, MOST_AT_PROXY),
        atMost(
          "the pool's connections in pg_stat_activity",
          await most(),
          POOL_SIZE + AUTHENTICATION_CONNECTIONS,
        ),
      ],
    });
  },
}));

function atMost(name: string, found: number, most: number): Criterion {
  return criterion(`${name} ≤ ${most}`, found > 0 && found <= most, String(found));
}
