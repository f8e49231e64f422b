import pg from 'pg';
import { until } from '../../support/until.js';
import type { Criterion, Protocol } from '../protocol.js';
import type { Cluster } from '../support/cluster.js';
import { criterion } from '../support/criteria.js';
import { count } from '../support/figures.js';
import { succeeded } from '../support/http.js';
import type { Scene, SceneOptions } from '../support/rig.js';
import { type Outage, type Span, suffer } from './outage.js';

const READS_THROUGH = 90;
const TAKES_WRITES_WITHIN = 3000;
/** A transaction that began before it may write on for a moment. */
const GRACE = 500;
const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'property-finance%'`;

/** How PostgreSQL is lost and comes back. */
interface Loss extends Outage {
  readonly name: string;
  readonly title: string;
  readonly scene?: SceneOptions;
}

const LOSSES: readonly Loss[] = [
  ended('crash', 'every process of PostgreSQL killed at once, started again later', (cluster) =>
    cluster.signalAll('SIGKILL'),
  ),
  ended('immediate-shutdown', 'PostgreSQL told to leave at once (SIGQUIT), started again later', (cluster) =>
    cluster.signal('SIGQUIT'),
  ),
  ended('fast-shutdown', 'PostgreSQL stopped in order (SIGINT), started again later', (cluster) =>
    cluster.signal('SIGINT'),
  ),
  {
    name: 'backend-killed',
    title: 'one backend of the service killed: PostgreSQL ends all others and recovers',
    lasting: [0, 0],
    afterwards: [7000, 10_000], // a share of the reads needs some
    reads: READS_THROUGH,
    async begin({ cluster }) {
      const [pid] = await cluster.poolConnections();
      if (pid === undefined) throw new Error('the service has no connection to kill');
      process.kill(pid, 'SIGKILL');
      return () => cluster.returned();
    },
  },
  {
    name: 'backends-terminated',
    title: 'all connections of the service ended by an administrator, twice a second',
    lasting: [3000, 30_000],
    afterwards: [7000, 10_000],
    reads: READS_THROUGH,
    begin({ cluster }) {
      const timer = setInterval(() => void cluster.sql(TERMINATE), 500);
      return () => clearInterval(timer);
    },
  },
  {
    name: 'stopped',
    title: 'every process of PostgreSQL stopped (SIGSTOP): connections stay open, and nothing answers',
    lasting: [7500, 20_000],
    afterwards: [4000, 15_000],
    isSilent: true,
    isDown: true,
    healedWithin: 3000,
    begin({ cluster }) {
      cluster.signalAll('SIGSTOP');
      return () => cluster.signalAll('SIGCONT');
    },
  },
  {
    name: 'read-only',
    title: 'PostgreSQL takes no writes for a while (default_transaction_read_only)',
    isDown: true,
    reads: 100,
    upWithin: TAKES_WRITES_WITHIN,
    judge: noWriteIsTaken,
    async begin({ cluster: { sql } }) {
      await sql('ALTER SYSTEM SET default_transaction_read_only = on');
      await sql('SELECT pg_reload_conf()');
      return async () => {
        await sql('ALTER SYSTEM RESET default_transaction_read_only');
        await sql('SELECT pg_reload_conf()');
      };
    },
  },
  {
    name: 'standby',
    title: 'PostgreSQL comes back as a standby, and is promoted later',
    isDown: true,
    upWithin: TAKES_WRITES_WITHIN,
    judge: noWriteIsTaken,
    async begin({ cluster }) {
      cluster.signal('SIGINT');
      await cluster.gone();
      cluster.becomeStandby();
      await cluster.start();
      return () => cluster.sql('SELECT pg_promote()');
    },
  },
  {
    name: 'no-connections',
    title: 'all connections that PostgreSQL has to give are held by others',
    scene: { settings: { max_connections: '30' } },
    lasting: [3000, 60_000],
    isDown: true,
    async begin({ cluster }) {
      const others = await takeAll(cluster);
      return () => Promise.all(others.map((client) => client.end()));
    },
  },
];

function ended(name: string, title: string, leave: (cluster: Cluster) => void): Loss {
  const begin: Outage['begin'] = async ({ cluster }) => {
    leave(cluster);
    await cluster.gone();
    return () => cluster.start();
  };
  return { name, title, lasting: [2000, 10_000], afterwards: [2000, 10_000], isDown: true, begin };
}

function noWriteIsTaken({ load }: Scene, { from, ending }: Span): Criterion[] {
  const meanwhile = load.writes.filter(
    ({ sentAt, took }) => sentAt >= from + GRACE && sentAt + took < ending,
  );
  const taken = meanwhile.filter(succeeded).length;
  const measured = `${count(taken)} of ${count(meanwhile.length)}`;
  return [criterion('no write is taken meanwhile', meanwhile.length > 0 && taken === 0, measured)];
}

/** Takes every connection that is free, and then those that the service has. */
async function takeAll({ url, sql }: Cluster): Promise<pg.Client[]> {
  const taken: pg.Client[] = [];
  const takeOne = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: url, application_name: 'others' });
    client.on('error', () => undefined);
    return client.connect().then(
      () => taken.push(client) > 0,
      () => false,
    );
  };
  const takeFree = async (): Promise<void> => {
    while (await takeOne());
  };
  await takeFree();
  await until(async () => {
    const ended = await sql(TERMINATE);
    await takeFree(); // at once, because the service wants them back
    return ended.length === 0;
  });
  return taken;
}

export const DATABASE_LOSSES: readonly Protocol[] = LOSSES.map(({ name, title, scene, ...outage }) => ({
  name,
  title,
  run: async (rig, options) => suffer(await rig.scene(scene), options, outage),
}));
