import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Protocol } from '../protocol.js';
import {
  allSucceedFrom,
  failuresAreProblems,
  livenessStaysUp,
  serviceIsWell,
  within,
} from '../support/criteria.js';
import type { Cluster } from '../support/cluster.js';
import { settle } from '../support/rig.js';

const SLOTS = 30;
const FAILURE_BOUND = 3000;
const DOWN_BOUND = 3000;
const UP_BOUND = 5000;
const FILL_WITHIN = 10_000;

export const NO_CONNECTIONS: Protocol = {
  name: 'no-connections',
  title: 'all connections that PostgreSQL has to give are held by others',
  async run(rig, { short }) {
    const scene = await rig.scene({ settings: { max_connections: String(SLOTS) } });
    const { cluster, load, probes, service } = scene;
    probes.start();
    load.start();
    await sleep(short ? 1000 : 5000);
    const others = new Others(cluster);
    await others.takeAll();
    const fullAt = performance.now();
    await sleep(short ? 3000 : 60_000);
    await others.leave();
    const freeAt = performance.now();
    await sleep(short ? 3000 : 15_000);
    const ledger = await settle(scene);
    const settled = probes.readinessSettled(freeAt);
    return [
      ...ledger,
      ...failuresAreProblems(load.replies, FAILURE_BOUND),
      within('readiness DOWN', probes.readinessTurned(503, fullAt), DOWN_BOUND),
      within('readiness UP for good once there are connections', settled, UP_BOUND),
      allSucceedFrom('every request succeeds once readiness is UP', load.replies, freeAt + settled),
      ...livenessStaysUp(probes),
      ...serviceIsWell(service),
    ];
  },
};

/** Clients that want every connection for themselves. */
class Others {
  private readonly clients: pg.Client[] = [];

  constructor(private readonly cluster: Cluster) {}

  /** Takes what is free, and what the service has too. */
  async takeAll(): Promise<void> {
    for (const deadline = performance.now() + FILL_WITHIN; performance.now() < deadline;) {
      while (await this.takeOne());
      const [row] = await this.cluster.sql<{ ended: number }>(
        `SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
          WHERE application_name LIKE 'property-finance%'`,
      );
      if (row?.ended === 0) return;
    }
    throw new Error('the service holds on to its connections');
  }

  async leave(): Promise<void> {
    await Promise.all(this.clients.map(async (client) => client.end()));
  }

  private async takeOne(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.cluster.url, application_name: 'others' });
    client.on('error', () => undefined);
    return client.connect().then(
      () => this.clients.push(client) > 0,
      () => false,
    );
  }
}
