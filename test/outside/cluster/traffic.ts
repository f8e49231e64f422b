import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../../faults/protocol.js';
import type { Owner } from '../../faults/support/accounts.js';
import { Caller, type Reply, succeeded } from '../../faults/support/http.js';
import { Ledger, type Sql } from '../../faults/support/ledger.js';
import { Load } from '../../faults/support/load.js';
import type { Proxy } from '../proxy/proxies.js';
import { Edits, Versions } from './edits.js';

/** Requests per second, 200 in all. */
const RATE = { reads: 110, writes: 60, edits: 30 };
const BEFORE = 1000;

/** What happened during some traffic, and what that has been found to be. */
export interface Episode {
  readonly replies: readonly Reply[];
  readonly failed: readonly Reply[];
}

/** Owners who read and write through a balancer, and their books, which are kept from one episode to the next. */
export class Traffic {
  private readonly ledger = new Ledger();
  private readonly versions = new Versions();

  constructor(
    private readonly proxy: Proxy,
    private readonly owners: readonly Owner[],
    private readonly sql: Sql,
  ) {
    for (const { propertyId } of owners) this.versions.add(propertyId);
  }

  /** Lets something happen under load, and right after it holds the books against the database. */
  async during<T>(
    happening: () => Promise<T>,
    judge: (found: T, episode: Episode) => Criterion[],
  ): Promise<Criterion[]> {
    const caller = new Caller(this.proxy.url, this.proxy.agent);
    const load = new Load(caller, this.owners, this.ledger, RATE).start();
    const edits = new Edits(caller, this.owners, this.versions, RATE.edits).start();
    const stop = async (): Promise<void> => {
      await edits.stop();
      await load.stop(); // closes the caller
    };
    try {
      await sleep(BEFORE);
      const found = await happening();
      await stop();
      const replies = [...load.replies, ...edits.replies];
      const criteria = judge(found, { replies, failed: replies.filter((reply) => !succeeded(reply)) });
      return [...criteria, ...(await this.ledger.check(this.sql)), await this.versions.check(this.sql)];
    } finally {
      await stop();
    }
  }
}
