import type { Protocol } from '../protocol.js';
import { type Cluster, ROLE } from '../support/cluster.js';
import { type Outage, outage } from './outage.js';

const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`;

/** PostgreSQL ends, and is started again later. */
const ended = (leave: (cluster: Cluster) => void) => (): Outage => ({
  lasting: [2000, 10_000],
  afterwards: [2000, 10_000],
  isDown: true,
  async begin({ cluster }) {
    leave(cluster);
    await cluster.gone();
    return () => cluster.start();
  },
});

export const DATABASE_LOSSES: readonly Protocol[] = [
  outage(
    'crash',
    'every process of PostgreSQL killed at once, started again later',
    ended((cluster) => cluster.signalAll('SIGKILL')),
  ),
  outage(
    'immediate-shutdown',
    'PostgreSQL told to leave at once (SIGQUIT), started again later',
    ended((cluster) => cluster.signal('SIGQUIT')),
    { nightly: true },
  ),
  outage(
    'fast-shutdown',
    'PostgreSQL stopped in order (SIGINT), started again later',
    ended((cluster) => cluster.signal('SIGINT')),
    { nightly: true },
  ),
  outage(
    'backend-killed',
    'one backend of the service killed: PostgreSQL ends all others and recovers',
    () => ({
      lasting: [0, 0],
      afterwards: [7000, 10_000],
      reads: 90,
      async begin({ cluster }) {
        const [pid] = await cluster.poolConnections();
        if (pid === undefined) throw new Error('the service has no connection to kill');
        process.kill(pid, 'SIGKILL');
        return () => cluster.returned();
      },
    }),
    { nightly: true },
  ),
  outage(
    'backends-terminated',
    'all connections of the service ended by an administrator, twice a second',
    () => ({
      lasting: [3000, 30_000],
      reads: 90,
      begin({ cluster }) {
        const timer = setInterval(() => void cluster.sql(TERMINATE), 500);
        return () => clearInterval(timer);
      },
    }),
    { nightly: true },
  ),
  outage('stopped', 'every process of PostgreSQL stopped (SIGSTOP): connections stay open, silent', () => ({
    lasting: [7500, 20_000],
    isSilent: true,
    isDown: true,
    healedWithin: 3000,
    begin({ cluster }) {
      cluster.signalAll('SIGSTOP');
      return () => cluster.signalAll('SIGCONT');
    },
    afterwards: [4000, 15_000],
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
];
