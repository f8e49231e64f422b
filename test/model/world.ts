import type { HttpResponse, RequestOptions } from '../support/client.js';
import type { StoredProperty, StoredTransaction } from '../support/random-ledger.js';
import type { Account, Service } from '../support/service.js';
import type { List, Place } from './lists.js';

export type Kind = 'properties' | 'transactions';

interface Versioned {
  readonly version: number;
}
export type ModelTransaction = StoredTransaction & Versioned;
export type ModelRow = (StoredProperty & Versioned) | ModelTransaction;

export interface Caller extends Account {
  readonly isAdmin: boolean;
}

/** A row by an index that stays meaningful when earlier calls are taken away: visible to the caller, any, or none. */
export interface Ref {
  readonly of: 'mine' | 'any' | 'none';
  readonly index: number;
}

const NO_IDS = [0, -1, Number.MAX_SAFE_INTEGER];

/** A request with an Idempotency-Key, and its response. */
interface KeptResponse {
  readonly caller: Caller;
  readonly path: string;
  readonly options: RequestOptions;
  readonly response: HttpResponse;
}

/** A further page, by the link of the one before. */
interface Walk {
  readonly caller: Caller;
  readonly list: List;
  readonly target: string;
  readonly place: Place;
}

/** The state of the service, as the contract has it. */
export class World {
  readonly rows = { properties: new Map<number, ModelRow>(), transactions: new Map<number, ModelRow>() };
  /** Every id that there ever was. */
  readonly ids: Record<Kind, number[]> = { properties: [], transactions: [] };
  readonly kept: KeptResponse[] = [];
  readonly walks: Walk[] = [];
  /** The calls, as a reader would send them. */
  readonly transcript: string[] = [];

  constructor(
    private readonly service: Service,
    readonly callers: readonly Caller[],
    /** Status → responses. */
    private readonly statuses: Map<number, number>,
  ) {}

  get sql(): Service['sql'] {
    return this.service.sql;
  }

  async send(
    caller: Caller,
    method: string,
    target: string,
    options: RequestOptions = {},
  ): Promise<HttpResponse> {
    const who = caller.isAdmin ? 'ADMIN' : `user ${caller.id}`;
    this.transcript.push(`${who}: ${method} ${target} ${JSON.stringify(options)}`);
    const response = await caller.send(method, target, options);
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    return response;
  }

  /** The id that a reference means just now. */
  idOf(kind: Kind, caller: Caller, { of, index }: Ref): number {
    const ids = of === 'mine' ? this.visible(kind, caller).map(({ id }) => id) : this.ids[kind];
    return (of === 'none' ? undefined : ids[index % ids.length]) ?? NO_IDS[index % NO_IDS.length]!;
  }

  /** The row, if the caller may see it. */
  find(kind: Kind, caller: Caller, id: number): ModelRow | undefined {
    return this.visible(kind, caller).find((row) => row.id === id);
  }

  visible(kind: Kind, { id, isAdmin }: Caller): ModelRow[] {
    return [...this.rows[kind].values()].filter(({ ownerId }) => isAdmin || ownerId === id);
  }
}
