import type { HttpRequest } from '../../support/client.js';
import { transactionRequest } from '../../support/factories.js';
import type { Owner } from './accounts.js';
import { Caller, type Reply, steadily, succeeded } from './http.js';
import { Ledger } from './ledger.js';
import type { Rig } from './rig.js';

/** Requests per second. */
const USUAL_RATE = { writes: 200, reads: 100 };
/** One write in so many deletes an earlier row. */
const DELETE_EVERY = 10;
/** Latest rows, the oldest of which is deleted next. */
const REMEMBERED = 1000;

/** Requests at a fixed rate, without waiting for responses, and the client's own book of them. */
export class Load {
  readonly ledger = new Ledger();
  readonly writes: Reply[] = [];
  readonly reads: Reply[] = [];
  private readonly rows: { marker: string; id: number; owner: Owner }[] = [];
  private sent = 0;
  private ends: (() => Promise<void>)[] = [];
  private caller: Caller;

  constructor(
    rig: Rig,
    url: string,
    private readonly owners: readonly Owner[],
    private readonly rate = USUAL_RATE,
  ) {
    this.caller = new Caller(url);
    rig.defer(() => this.stop());
  }

  get replies(): Reply[] {
    return [...this.writes, ...this.reads];
  }

  start(caller = this.caller): this {
    this.caller = caller;
    const { writes, reads } = this.rate;
    this.ends = [steadily(writes, () => this.write()), steadily(reads, () => this.read())];
    return this;
  }

  /** Sends nothing more, and waits for the responses. */
  async stop(): Promise<void> {
    await Promise.all(this.ends.map((end) => end()));
    this.caller.close();
  }

  private get owner(): Owner {
    return this.owners[this.sent % this.owners.length]!;
  }

  private async write(): Promise<void> {
    const { owner } = this;
    const row = this.sent++ % DELETE_EVERY === DELETE_EVERY - 1 ? this.rows.shift() : undefined;
    if (row === undefined) return this.create(owner);
    const call = { method: 'DELETE', path: `/api/transactions/${row.id}` };
    this.ledger.book(row.marker, await this.call(this.writes, call, row.owner));
  }

  private async create(owner: Owner): Promise<void> {
    const marker = `marker-${this.sent}`;
    const body = transactionRequest(owner.propertyId, { bookingReference: marker });
    const reply = await this.call(this.writes, { method: 'POST', path: '/api/transactions', body }, owner);
    this.ledger.book(marker, reply);
    if (!succeeded(reply)) return;
    const { id } = JSON.parse(reply.text) as { id: number };
    this.rows.push({ marker, id, owner });
    if (this.rows.length > REMEMBERED) this.rows.shift();
  }

  private async read(): Promise<void> {
    const { owner } = this;
    const lists = ['transactions', 'transactions?sort=amount,asc'];
    const reads = ['users/me', ...lists, `properties/${owner.propertyId}`];
    await this.call(this.reads, { method: 'GET', path: `/api/${reads[this.sent % 4]}` }, owner);
  }

  private async call(kept: Reply[], call: HttpRequest, { token }: Owner): Promise<Reply> {
    const reply = await this.caller.send({ ...call, token });
    kept.push({ ...reply, text: '', headers: new Headers() }); // a long run would keep every page
    return reply;
  }
}
