import type { Protocol } from '../protocol.js';
import { ROLE } from '../support/cluster.js';
import { outage } from './outage.js';

const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`;

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
];
