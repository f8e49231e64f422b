import { propertyRequest } from '../../support/factories.js';
import type { Criterion } from '../../faults/protocol.js';
import type { Owner } from '../../faults/support/accounts.js';
import { criterion } from '../../faults/support/criteria.js';
import { count } from '../../faults/support/figures.js';
import { type Caller, type Reply, succeeded } from '../../faults/support/http.js';
import { fateOf, type Sql } from '../../faults/support/ledger.js';

/** What the client knows of the version of a property. */
interface Known {
  version: number;
  /** Writes of unknown outcome since that version was told. */
  open: number;
}

/** The client's own book of versions. */
export class Versions {
  private readonly known = new Map<number, Known>();
  private readonly skips: string[] = [];

  /** Of a property that is new, and that nobody else writes. */
  add(propertyId: number): void {
    this.known.set(propertyId, { version: 1, open: 0 });
  }

  /** Each write that was made once is one version more. */
  settle(propertyId: number, reply: Reply): void {
    const known = this.of(propertyId);
    if (!succeeded(reply)) {
      if (fateOf(reply) === 'unknown') known.open++;
      return;
    }
    const version = Number(reply.headers.etag?.replaceAll('"', ''));
    const least = known.version + 1;
    if (!(version >= least && version <= least + known.open))
      this.skips.push(`${version} after ${known.version}`);
    Object.assign(known, { version, open: 0 });
  }

  async check(sql: Sql): Promise<Criterion> {
    const rows = await sql<{ id: string; version: number }>(
      'SELECT id, version FROM properties WHERE id = ANY ($1)',
      [[...this.known.keys()]],
    );
    const wrong = rows.filter(({ id, version: stored }) => {
      const { version, open } = this.of(Number(id));
      return stored < version || stored > version + open;
    });
    const writes = [...this.known.values()].reduce((sum, { version }) => sum + version - 1, 0);
    const faults = [...this.skips, ...wrong.map(({ id, version }) => `property ${id} has ${version}`)];
    const name = 'versions: each replacement counts once';
    return criterion(name, faults.length === 0, `${faults.join(', ') || 'so'}, of ${count(writes)}`);
  }

  private of(propertyId: number): Known {
    return this.known.get(propertyId)!;
  }
}

/** Replaces the property of each owner at a fixed rate, one request after the other, so that no two of them collide. */
export class Edits {
  readonly replies: Reply[] = [];
  private readonly pending = new Map<Owner, Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly caller: Caller,
    private readonly owners: readonly Owner[],
    private readonly versions: Versions,
    /** Requests per second, of all owners together. */
    private readonly rate: number,
  ) {}

  start(): this {
    this.timer = setInterval(
      () => {
        for (const owner of this.owners)
          if (!this.pending.has(owner))
            this.pending.set(
              owner,
              this.edit(owner).finally(() => this.pending.delete(owner)),
            );
      },
      (1000 * this.owners.length) / this.rate,
    );
    return this;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.pending.values());
  }

  private async edit({ token, propertyId }: Owner): Promise<void> {
    const body = propertyRequest({ name: `Edit ${this.replies.length}` });
    const path = `/api/properties/${propertyId}`;
    const reply = await this.caller.send({ method: 'PUT', path, token, body });
    this.versions.settle(propertyId, reply);
    this.replies.push(reply);
  }
}
