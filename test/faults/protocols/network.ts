import { DatabaseProxy } from '../../support/database-proxy.js';
import type { Protocol } from '../protocol.js';
import { criterion } from '../support/criteria.js';
import { MOST_CONNECTIONS } from './limits.js';
import { type Outage, outage } from './outage.js';

type Trouble = (proxy: DatabaseProxy) => void;

const trouble =
  (begin: Trouble, rest: Pick<Outage, 'isDown' | 'reads'> = {}): Parameters<typeof outage>[2] =>
  async (rig) => {
    const proxy = await DatabaseProxy.open();
    rig.defer(() => proxy.close());
    return {
      ...rest,
      scene: { route: (url) => proxy.url(url) },
      afterwards: [4000, 15_000],
      isSilent: true,
      healedWithin: 3000,
      begin() {
        proxy.watch();
        begin(proxy);
        return () => proxy.heal();
      },
      judge() {
        const { mostOpen } = proxy;
        const isBounded = mostOpen > 0 && mostOpen <= MOST_CONNECTIONS;
        return [criterion(`connections at the proxy ≤ ${MOST_CONNECTIONS}`, isBounded, String(mostOpen))];
      },
    };
  };

export const NETWORK_TROUBLES: readonly Protocol[] = [
  outage(
    'network-slow',
    'the database is 500 ms further away',
    trouble((proxy) => proxy.slowDown(500)),
  ),
  outage(
    'network-black-hole',
    'no byte reaches the database or comes back, without an error',
    trouble((proxy) => proxy.swallow(), { isDown: true }),
  ),
  outage(
    'network-reset',
    'connections are reset in the middle of a response, one response in fifty',
    trouble((proxy) => proxy.cutOff(), { reads: 90 }),
    { nightly: true },
  ),
  outage(
    'network-half-close',
    'all connections are ended in one direction, twice a second',
    trouble((proxy) => proxy.halfClose(500), { reads: 90 }),
    { nightly: true },
  ),
];
