import { DatabaseProxy } from '../../support/database-proxy.js';
import type { Protocol } from '../protocol.js';
import { ROLE } from '../support/cluster.js';
import { criterion } from '../support/criteria.js';
import { outage } from './outage.js';

const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`;
/** The pool, and the connections for the look-up of callers and for the health check. */
const MOST_CONNECTIONS = 10 + 1 + 1;

export const DATABASE_LOSSES: readonly Protocol[] = [
  outage('crash', 'every process of PostgreSQL killed at once, started again later', () => ({
    lasting: [2000, 10_000],
    afterwards: [2000, 10_000],
    isDown: true,
    async begin({ cluster }) {
      cluster.signalAll('SIGKILL');
      await cluster.gone();
      return () => cluster.start();
    },
  })),
  outage('stopped', 'every process of PostgreSQL stopped (SIGSTOP): connections stay open, silent', () => ({
    lasting: [7500, 20_000],
    afterwards: [4000, 15_000],
    isSilent: true,
    isDown: true,
    healedWithin: 3000,
    begin({ cluster }) {
      cluster.signalAll('SIGSTOP');
      return () => cluster.signalAll('SIGCONT');
    },
  })),
  outage('no-connections', 'PostgreSQL has no connection for the service', () => ({
    lasting: [3000, 60_000],
    isDown: true,
    async begin({ cluster: { sql } }) {
      await sql(`ALTER ROLE ${ROLE} CONNECTION LIMIT 0`);
      await sql(TERMINATE);
      return () => sql(`ALTER ROLE ${ROLE} CONNECTION LIMIT -1`);
    },
  })),
  outage(
    'network-black-hole',
    'no byte reaches the database or comes back, without an error',
    async (rig) => {
      const proxy = await DatabaseProxy.open();
      rig.defer(() => proxy.end());
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
  ),
];
