import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Cluster } from './cluster.js';

const INTERVAL = 100;
const COUNT = `SELECT count(*)::int AS number FROM pg_stat_activity WHERE application_name = 'property-finance'`;

/** Watches how many connections PostgreSQL has of the service's pool. */
export class ConnectionCount {
  private most = 0;
  private stopped = false;
  private readonly running: Promise<void>;

  private constructor(private readonly client: pg.Client) {
    this.running = this.watch();
  }

  static async start(cluster: Cluster): Promise<ConnectionCount> {
    return new ConnectionCount(await cluster.connect());
  }

  /** The most there were at once. */
  async stop(): Promise<number> {
    this.stopped = true;
    await this.running;
    await this.client.end();
    return this.most;
  }

  private async watch(): Promise<void> {
    while (!this.stopped) {
      const { rows } = await this.client.query<{ number: number }>(COUNT);
      this.most = Math.max(this.most, rows[0]?.number ?? 0);
      await sleep(INTERVAL);
    }
  }
}
