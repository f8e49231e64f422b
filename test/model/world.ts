import type { Sortable } from '../support/search-oracle.js';
import type { StoredTransaction } from '../support/search-rows.js';
import type { Call, Outcome } from './outcomes.js';
import type { JsonObject } from './values.js';

export interface ModelAccount {
  readonly id: number;
  readonly token: string;
  readonly role: 'USER' | 'ADMIN';
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
  /** The fields of sorts and searches. */
  readonly row: StoredTransaction;
}

export interface Rows {
  properties: ModelProperty;
  transactions: ModelTransaction;
}

export type CallerRef = 'user 0' | 'user 1' | 'user 2' | 'admin' | 'nobody' | 'forged';

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

/** Ids without a row. */
const WELL_FORMED = ['999999999999', '0', '-1', '9223372036854775807', '-9223372036854775808'];
const MALFORMED = ['9223372036854775808', '01', '+1', '1.0', '1e1', 'abc', '%20', '1%00'];
const ODD_IDS: readonly Target[] = [
  ...WELL_FORMED.map((text) => ({ text, isWellFormed: true })),
  ...MALFORMED.map((text) => ({ text, isWellFormed: false })),
];

/** The state of the service, as the contract has it. */
export class World {
  readonly properties = new Map<number, ModelProperty>();
  readonly transactions = new Map<number, ModelTransaction>();
  /** Every id that there ever was. */
  readonly seen: Record<keyof Rows, number[]> = { properties: [], transactions: [] };
  readonly kept: KeptAnswer[] = [];
  readonly walks: Walk[] = [];
  /** The calls, as a reader would send them. */
  readonly transcript: string[] = [];

  constructor(readonly accounts: Readonly<Partial<Record<CallerRef, ModelAccount>>>) {}

  caller(ref: CallerRef): Caller {
    if (ref === 'nobody') return { token: undefined, account: undefined };
    const account = this.accounts[ref];
    return { token: account?.token ?? 'not.a.token', account };
  }

  /** The id that a reference means just now. */
  target(kind: keyof Rows, { of, index }: Ref, caller: Caller): Target {
    if (of === 'odd') return ODD_IDS[index % ODD_IDS.length]!;
    const ids = of === 'mine' ? this.visible(kind, caller).map((row) => row.id) : this.seen[kind];
    return ids.length === 0 ? ODD_IDS[0]! : { text: String(ids[index % ids.length]), isWellFormed: true };
  }

  /** The row, if the caller may see it. */
  found<K extends keyof Rows>(kind: K, { text }: Target, { account }: Caller): Rows[K] | undefined {
    const found = this[kind].get(Number(text)) as Rows[K] | undefined;
    return found && mayRead(account, found) ? found : undefined;
  }

  visible<K extends keyof Rows>(kind: K, { account }: Caller): Rows[K][] {
    return ([...this[kind].values()] as Rows[K][]).filter((row) => mayRead(account, row));
  }
}

function mayRead(account: ModelAccount | undefined, { ownerId }: ModelRow): boolean {
  return account !== undefined && (account.role === 'ADMIN' || account.id === ownerId);
}
