import { transactionRequest } from '../../support/factories.js';
import type { Owner } from './accounts.js';
import { type Call, type Caller, type Reply, succeeded } from './http.js';
import type { Ledger } from './ledger.js';

export interface Rate {
  /** Requests per second. */
  readonly writes: number;
  readonly reads: number;
}

const USUAL_RATE: Rate = { writes: 200, reads: 100 };
const TICK = 10;
/** One write of so many takes back an earlier one. */
const DELETE_EVERY = 10;
/** What was read or deleted is chosen among the latest rows. */
const REMEMBERED = 1000;

interface Row {
  readonly marker: string;
  readonly id: number;
  readonly owner: Owner;
}

/**
 * Requests at a fixed rate, whether or not the earlier ones have been answered: what a fault does to clients who
 * do not know of it.
 */
export class Load {
  readonly writes: Reply[] = [];
  readonly reads: Reply[] = [];
  private readonly pending = new Set<Promise<void>>();
  private readonly rows: Row[] = [];
  private sent = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly caller: Caller,
    private readonly owners: readonly Owner[],
    private readonly ledger: Ledger,
    private readonly rate: Rate = USUAL_RATE,
  ) {}

  get replies(): Reply[] {
    return [...this.writes, ...this.reads];
  }

  start(): this {
    let last = performance.now();
    const due = { writes: 0, reads: 0 };
    this.timer = setInterval(() => {
      const now = performance.now();
      for (const kind of ['writes', 'reads'] as const) {
        due[kind] += (this.rate[kind] * (now - last)) / 1000;
        for (; due[kind] >= 1; due[kind]--) this.send(kind);
      }
      last = now;
    }, TICK);
    return this;
  }

  /** Sends nothing more, and waits for the answers. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.pending);
    this.caller.close();
  }

  private send(kind: 'writes' | 'reads'): void {
    const work = kind === 'reads' ? this.read() : this.write();
    const entry = work.finally(() => this.pending.delete(entry));
    this.pending.add(entry);
  }

  private async write(): Promise<void> {
    const row = this.sent++ % DELETE_EVERY === DELETE_EVERY - 1 ? this.rows.shift() : undefined;
    await (row === undefined ? this.create() : this.delete(row));
  }

  private async create(): Promise<void> {
    const owner = this.owner();
    const { marker, reply } = await this.ledger.create((bookingReference) => {
      const body = transactionRequest(owner.propertyId, { bookingReference });
      return this.call(this.writes, { method: 'POST', path: '/api/transactions', body }, owner);
    });
    if (!succeeded(reply)) return;
    const { id } = JSON.parse(reply.text) as { id: number };
    this.rows.push({ marker, id, owner });
    if (this.rows.length > REMEMBERED) this.rows.shift();
  }

  private async delete({ marker, id, owner }: Row): Promise<void> {
    const call = { method: 'DELETE', path: `/api/transactions/${id}` };
    await this.ledger.delete(marker, () => this.call(this.writes, call, owner));
  }

  private async read(): Promise<void> {
    const owner = this.owner();
    const paths = [
      'users/me',
      'transactions',
      `properties/${owner.propertyId}`,
      'transactions?sort=amount,asc',
    ];
    const path = `/api/${paths[this.sent % paths.length] ?? ''}`;
    await this.call(this.reads, { method: 'GET', path }, owner);
  }

  private async call(kept: Reply[], call: Call, { token }: Owner): Promise<Reply> {
    const reply = await this.caller.send({ ...call, token });
    kept.push({ ...reply, text: '', headers: {} }); // a long run would keep every page
    return reply;
  }

  private owner(): Owner {
    const owner = this.owners[this.sent % this.owners.length];
    if (owner === undefined) throw new Error('a load needs owners');
    return owner;
  }
}
