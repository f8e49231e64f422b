import type { Sortable } from '../support/ordering.js';
import type { StoredTransaction } from '../support/search-rows.js';
import type { Call, Outcome } from './outcomes.js';
import type { JsonObject } from './values.js';

export interface ModelAccount {
  readonly id: number;
  readonly email: string;
  readonly username: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly password: string;
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

/** 'signed in': with a token that a sign-in of this sequence has answered. */
export type CallerRef = 'user 0' | 'user 1' | 'user 2' | 'admin' | 'signed in' | 'nobody' | 'forged';

export interface Caller {
  readonly token: string | undefined;
  /** Undefined without an account behind the token. */
  readonly account: ModelAccount | undefined;
}

export interface Session {
  readonly token: string;
  readonly accountId: number;
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
  readonly signedIn: Session[] = [];
  readonly kept: KeptAnswer[] = [];
  readonly walks: Walk[] = [];
  /** The calls, as a reader would send them. */
  readonly transcript: string[] = [];

  constructor(readonly sessions: Readonly<Partial<Record<CallerRef, Session>>>) {}

  add(account: ModelAccount): void {
    this.accounts.set(account.id, account);
    this.seen.accounts.push(account.id);
  }

  caller(ref: CallerRef, index = 0): Caller {
    if (ref === 'nobody') return { token: undefined, account: undefined };
    if (ref === 'forged') return { token: 'not.a.token', account: undefined };
    const { token, accountId } =
      ref === 'signed in' ? this.signedIn[index % this.signedIn.length]! : this.sessions[ref]!;
    return { token, account: this.accounts.get(accountId) };
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
