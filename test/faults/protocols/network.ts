import { DatabaseProxy } from '../../support/database-proxy.js';
import { criterion } from '../support/criteria.js';
import { outage } from './outage.js';

/** The pool, and the connections for the look-up of callers and for the health check. */
const MOST_CONNECTIONS = 10 + 1 + 1;

export const NETWORK_BLACK_HOLE = outage(
  'network-black-hole',
  'no byte reaches the database or comes back, without an error',
  async (rig) => {
    const proxy = await DatabaseProxy.open();
    rig.defer(() => proxy.close());
    return {
      scene: { route: (url) => proxy.url(url) },
      afterwards: [4000, 15_000],
      isSilent: true,
      isDown: true,
      healedWithin: 3000,
      begin() {
        proxy.watch();
        proxy.swallow();
        return () => proxy.heal();
      },
      judge() {
        const { mostOpen } = proxy;
        const isBounded = mostOpen > 0 && mostOpen <= MOST_CONNECTIONS;
        return [criterion(`connections at the proxy ≤ ${MOST_CONNECTIONS}`, isBounded, String(mostOpen))];
      },
    };
  },
);
