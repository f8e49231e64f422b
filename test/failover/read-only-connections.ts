import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../faults/protocol.js';
import { criterion } from '../faults/support/criteria.js';
import { count, highest } from '../faults/support/figures.js';
import type { Pair } from './pair.js';

const INTERVAL = 200;
/** Whoever looks for the server that takes writes does not stay for as long. */
const CONNECTIONS = `SELECT pg_is_in_recovery() AS "onlyReads", count(*)::int AS number FROM pg_stat_activity
                     WHERE application_name LIKE 'property-finance%' AND backend_start < now() - interval '0.5 s'`;

interface Found {
  readonly onlyReads: boolean;
  readonly number: number;
}

/** Watches which connections of the service stay on a server that only reads. */
export class ReadOnlyConnections {
  private readonly found: Found[] = [];
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(private readonly pair: Pair) {
    this.running = this.watch();
  }

  async stop(): Promise<Criterion> {
    this.stopped = true;
    await this.running;
    const most = (onlyReads: boolean): number =>
      highest(this.found.filter((one) => one.onlyReads === onlyReads).map(({ number }) => number));
    return criterion(
      'no connection stays on a server that only reads',
      most(true) === 0 && most(false) > 0,
      `${count(most(true))} of ${count(most(false))} at most, looked at ${count(this.found.length)} times`,
    );
  }

  private async watch(): Promise<void> {
    while (!this.stopped) {
      for (const server of [this.pair.primary, this.pair.standby])
        this.found.push(...(await server.sql<Found>(CONNECTIONS).catch(() => []))); // it is down
      await sleep(INTERVAL);
    }
  }
}
