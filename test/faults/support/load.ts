import { transactionRequest } from '../../support/factories.js';
import type { Owner } from './accounts.js';
import { type Call, type Caller, type Reply, succeeded } from './http.js';
import type { Ledger } from './ledger.js';

/** Requests per second. */
export interface Rate {
  readonly writes: number;
  readonly reads: number;
}

const USUAL_RATE: Rate = { writes: 200, reads: 100 };
const TICK = 10;
/** One write in so many deletes an earlier row. */
const DELETE_EVERY = 10;
/** Latest rows, the oldest of which is deleted next. */
const REMEMBERED = 1000;

interface Row {
  readonly marker: string;
  readonly id: number;
  readonly owner: Owner;
}

/** Requests at a fixed rate, without waiting for responses. */
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
        for (; due[kind] >= 1; due[kind]--) {
          const entry = this.send(kind).finally(() => this.pending.delete(entry));
          this.pending.add(entry);
        }
      }
      last = now;
    }, TICK);
    return this;
  }

  /** Sends nothing more, and waits for the responses. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.pending);
    this.caller.close();
  }

  private async send(kind: keyof Rate): Promise<void> {
    const owner = this.owners[this.sent % this.owners.length]!;
    if (kind === 'reads') return this.read(owner);
    const row = this.sent++ % DELETE_EVERY === DELETE_EVERY - 1 ? this.rows.shift() : undefined;
    return row === undefined ? this.create(owner) : this.delete(row);
  }

  private async create(owner: Owner): Promise<void> {
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

  private async read(owner: Owner): Promise<void> {
    const { propertyId } = owner;
    const paths = ['users/me', 'transactions', `properties/${propertyId}`, 'transactions?sort=amount,asc'];
    await this.call(this.reads, { method: 'GET', path: `/api/${paths[this.sent % 4]}` }, owner);
  }

  private async call(kept: Reply[], call: Call, { token }: Owner): Promise<Reply> {
    const reply = await this.caller.send({ ...call, token });
    kept.push({ ...reply, text: '', headers: new Headers() }); // a long run would keep every page
    return reply;
  }
}
