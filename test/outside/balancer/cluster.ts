import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../bench/launch.js';
import type { Criterion } from '../../faults/protocol.js';
import type { Owner } from '../../faults/support/accounts.js';
import type { Cluster as Database } from '../../faults/support/cluster.js';
import { Caller, type Reply, succeeded } from '../../faults/support/http.js';
import { Ledger } from '../../faults/support/ledger.js';
import { Load } from '../../faults/support/load.js';
import type { Rig } from '../../faults/support/rig.js';
import type { Service } from '../../faults/support/service.js';
import { migrateTogether } from '../support/empty-database.js';
import type { Proxy } from './proxies.js';

/** Requests per second. */
const RATE = { reads: 40, writes: 20 };
/** Checks until HAProxy takes an instance back. */
const RISE = 2;

interface Outcome extends Record<'replies' | 'failed', readonly Reply[]> {
  readonly books: readonly Criterion[];
}

/** Several instances on one database, each at the same port whenever it starts. */
export class Cluster {
  private readonly ledger = new Ledger();
  private readonly instances: Service[] = [];

  private constructor(
    readonly rig: Rig,
    readonly database: Database,
    readonly ports: readonly number[],
  ) {}

  /** Starts all on an empty database at the same moment. Returns the faults of the migration, too. */
  static async start(rig: Rig, size: number): Promise<[Cluster, string[]]> {
    const ports = await Promise.all(Array.from({ length: size }, () => freePort()));
    const cluster = new Cluster(rig, await rig.cluster(), ports);
    const launch = (): Service[] => ports.map((_, index) => cluster.launch(index));
    const [instances, faults] = await migrateTogether(cluster.database, 'ledger', launch);
    cluster.instances.push(...instances);
    return [cluster, faults];
  }

  at(index: number): Service {
    return this.instances[index]!;
  }

  /** After its instance has ended. */
  async startAgain(index: number): Promise<void> {
    this.instances[index] = await this.launch(index).ready();
  }

  /** Stops and starts one after the other, with so many milliseconds between two checks of the balancer. */
  async restartAll(checks: number): Promise<void> {
    for (const index of this.ports.keys()) {
      this.at(index).signal('SIGTERM');
      await this.at(index).exited;
      await this.startAgain(index);
      await sleep(RISE * checks + 1000);
    }
  }

  /** Starts a load; the function that it returns ends it, and holds the clients' book against the database. */
  async underLoad(proxy: Proxy, owners: readonly Owner[]): Promise<() => Promise<Outcome>> {
    const load = new Load(new Caller(proxy.url, proxy.agent), owners, this.ledger, RATE).start();
    this.rig.defer(() => load.stop());
    await sleep(1000);
    return async () => {
      await load.stop();
      const failed = load.replies.filter((reply) => !succeeded(reply));
      return { replies: load.replies, failed, books: await this.ledger.check(this.database.sql) };
    };
  }

  private launch(index: number): Service {
    const env = { SHUTDOWN_DELAY: '' }; // blank is the service's default, other than the rig's
    const launch = { databaseUrl: this.database.url, env, name: `instance-${index}` };
    return this.rig.launch(launch, this.ports[index]);
  }
}
