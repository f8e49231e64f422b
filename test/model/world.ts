import type { Sortable } from '../support/ordering.js';
import type { StoredTransaction } from '../support/search-rows.js';
import type { Call, Outcome } from './outcomes.js';
import type { JsonObject } from './values.js';

export interface ModelAccount {
  readonly id: number;
  readonly username: string;
  readonly token: string;
  role: 'USER' | 'ADMIN';
}

/** A property or transaction. */
export interface ModelRow {
  readonly id: number;
  readonly ownerId: number;
  readonly version: number;
  /** PropertyResponse or TransactionResponse. */
  readonly body: JsonObject;
}

export interface ModelProperty extends ModelRow {
  /** Sort field → value. */
  readonly columns: Readonly<Record<string, Sortable>>;
}

export interface ModelTransaction extends ModelRow {
  readonly propertyId: number;
  /** The columns of sorts and searches. */
  readonly row: StoredTransaction;
}

export type CallerRef = 'user 0' | 'user 1' | 'user 2' | 'admin' | 'guest' | 'nobody' | 'forged';

export interface Caller {
  readonly token: string | undefined;
  /** Undefined without an account behind the token. */
  readonly account: ModelAccount | undefined;
}

/** A resource by an index that stays meaningful when earlier calls are taken away: visible to the caller, any, or odd. */
export interface Ref {
  readonly of: 'mine' | 'any' | 'odd';
  readonly index: number;
}

/** The id in a path. */
export interface Target {
  readonly text: string;
  readonly isWellFormed: boolean;
}

export type Resource = 'accounts' | 'properties' | 'transactions';

/** A write under an Idempotency-Key, and its response. */
export interface KeptAnswer {
  readonly ownerId: number;
  readonly callerId: number;
  readonly key: string;
  readonly call: Call;
  readonly status: number;
  readonly text: string;
  readonly body: JsonObject;
}

/** A further page, by the link of the one before. */
export interface Walk {
  readonly callerId: number;
  readonly call: Call;
  readonly outcome: (caller: Caller) => Outcome;
}

/** Ids without a row; malformed ones are refused. */
const ODD_IDS: readonly Target[] = [
  ...['999999999999', '0', '-1', '9223372036854775807', '-9223372036854775808'].map((text) => ({
    text,
    isWellFormed: true,
  })),
  ...['9223372036854775808', '01', '+1', '1.0', '1e1', 'abc', '%20', '1%00'].map((text) => ({
    text,
    isWellFormed: false,
  })),
];

/** The state of the service, as the contract has it. */
export class World {
  readonly accounts = new Map<number, ModelAccount>();
  readonly properties = new Map<number, ModelProperty>();
  readonly transactions = new Map<number, ModelTransaction>();
  /** Every id that there ever was. */
  readonly seen: Record<Resource, number[]> = { accounts: [], properties: [], transactions: [] };
  readonly kept: KeptAnswer[] = [];
  readonly walks: Walk[] = [];
  /** The calls, as a reader would send them. */
  readonly transcript: string[] = [];

  constructor(readonly callers: Readonly<Partial<Record<CallerRef, ModelAccount>>>) {
    for (const account of Object.values(callers)) this.accounts.set(account.id, account);
    this.seen.accounts.push(...this.accounts.keys());
  }

  caller(ref: CallerRef): Caller {
    if (ref === 'nobody') return { token: undefined, account: undefined };
    const { token, id } = this.callers[ref] ?? { token: 'not.a.token', id: 0 };
    return { token, account: this.accounts.get(id) };
  }

  /** The id that a reference means just now. */
  target(resource: Resource, { of, index }: Ref, caller?: Caller): Target {
    if (of !== 'odd') {
      const { seen, accounts } = this;
      let ids: readonly number[] = seen[resource];
      if (of === 'mine' && caller !== undefined)
        ids =
          resource === 'accounts'
            ? [...accounts.keys()]
            : this.visible(resource, caller).map((row) => row.id);
      if (ids.length > 0) return { text: String(ids[index % ids.length]), isWellFormed: true };
    }
    return ODD_IDS[of === 'odd' ? index % ODD_IDS.length : 0]!;
  }

  property({ text }: Target, { account }: Caller): ModelProperty | undefined {
    const found = this.properties.get(Number(text));
    return found && mayRead(account, found) ? found : undefined;
  }

  transaction({ text }: Target, { account }: Caller): ModelTransaction | undefined {
    const found = this.transactions.get(Number(text));
    return found && mayRead(account, found) ? found : undefined;
  }

  visible<Row extends ModelRow>(resource: 'properties' | 'transactions', { account }: Caller): Row[] {
    const rows = [...this[resource].values()] as ModelRow[] as Row[];
    return rows.filter((row) => mayRead(account, row));
  }
}

function mayRead(account: ModelAccount | undefined, { ownerId }: ModelRow): boolean {
  return account !== undefined && (account.role === 'ADMIN' || account.id === ownerId);
}
