import type { Cluster } from '../../faults/support/cluster.js';
import type { Rig } from '../../faults/support/rig.js';
import { DatabaseProxy } from '../../support/database-proxy.js';
import { until } from '../../support/until.js';

const NAME = 'standby';

/** A primary and its synchronous standby, which can change places, and a proxy that leads to the primary. */
export class Pair {
  private constructor(
    public primary: Cluster,
    public standby: Cluster,
    private readonly proxy: DatabaseProxy,
    /** By way of the proxy. */
    readonly url: string,
  ) {}

  static async start(rig: Rig): Promise<Pair> {
    const primary = await rig.cluster();
    const standby = await primary.follower(NAME);
    rig.defer(() => standby.remove());
    const proxy = await DatabaseProxy.open();
    rig.defer(() => proxy.close());
    const pair = new Pair(primary, standby, proxy, proxy.url(primary.url));
    await pair.waitForStandby();
    return pair;
  }

  /** Every process of the primary ends at once, as with its machine. */
  async killPrimary(): Promise<void> {
    this.primary.signalAll('SIGKILL');
    await this.primary.gone();
  }

  /** The standby takes over, which alone has what was acknowledged. */
  async promote(): Promise<void> {
    await this.standby.sql('SELECT pg_promote()');
    this.proxy.lead(this.standby.url);
    [this.primary, this.standby] = [this.standby, this.primary];
  }

  /** The server that was killed comes back as the standby, with a new copy of the data. */
  async rejoin(): Promise<void> {
    await this.primary.adopt(this.standby, NAME);
    await this.waitForStandby();
  }

  /** Only from now on: a copy that waited for a standby would, once promoted, wait for itself. */
  private async waitForStandby(): Promise<void> {
    await this.primary.sql(`ALTER SYSTEM SET synchronous_standby_names = '${NAME}'`);
    await this.primary.sql('SELECT pg_reload_conf()');
    const synchronous = `SELECT FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'`;
    await until(async () => (await this.primary.sql(synchronous)).length === 1);
  }
}
