import type { Sortable } from '../support/ordering.js';
import type { StoredTransaction } from '../support/search-rows.js';
import { type CallerRef, ODD_IDS, type Ref } from './commands.js';
import type { JsonObject } from './difference.js';
import type { Call } from './outcomes.js';
import type { Walk } from './walks.js';

export interface ModelAccount {
  readonly id: number;
  readonly email: string;
  readonly username: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly password: string;
  role: 'USER' | 'ADMIN';
}

export interface ModelProperty {
  readonly id: number;
  readonly ownerId: number;
  readonly version: number;
  /** PropertyResponse. */
  readonly body: JsonObject;
  /** What it sorts by. */
  readonly columns: Readonly<Record<string, Sortable>>;
}

export interface ModelTransaction {
  readonly id: number;
  readonly ownerId: number;
  readonly propertyId: number;
  readonly version: number;
  /** TransactionResponse. */
  readonly body: JsonObject;
  /** What it sorts and is searched by. */
  readonly row: StoredTransaction;
}

/** Who sends a request: without a token, with one of nobody's, or with one of an account that may be gone. */
export interface Caller {
  readonly token: string | undefined;
  /** Undefined when the token is nobody's any more. */
  readonly account: ModelAccount | undefined;
}

export interface Session {
  readonly token: string;
  readonly accountId: number;
}

/** The path of a resource, well-formed or not. */
export interface Target {
  readonly text: string;
  readonly isWellFormed: boolean;
}

export type Resource = 'accounts' | 'properties' | 'transactions';

/** The write that a key stands for, and how it was answered. */
export interface KeptAnswer {
  readonly ownerId: number;
  readonly callerId: number;
  readonly key: string;
  readonly call: Call;
  readonly status: number;
  readonly text: string;
  readonly body: JsonObject;
  /** Undefined of a write of many. */
  readonly row:
    | {
        readonly resource: 'properties' | 'transactions';
        readonly id: number;
        /** Of a transaction. */
        readonly propertyId: number | undefined;
      }
    | undefined;
}

/** All that the service knows, as the contract has it. */
export class World {
  readonly accounts = new Map<number, ModelAccount>();
  readonly properties = new Map<number, ModelProperty>();
  readonly transactions = new Map<number, ModelTransaction>();
  /** Every id that there ever was. */
  readonly seen: Record<Resource, number[]> = { accounts: [], properties: [], transactions: [] };
  readonly signedIn: Session[] = [];
  readonly kept: KeptAnswer[] = [];
  readonly walks: Walk[] = [];

  /** References pick among the latest `choice` resources. */
  constructor(
    private readonly sessions: Readonly<Partial<Record<CallerRef, Session>>>,
    private readonly choice = Infinity,
  ) {}

  add(account: ModelAccount): void {
    this.accounts.set(account.id, account);
    this.seen.accounts.push(account.id);
  }

  caller(ref: CallerRef, index = 0): Caller {
    if (ref === 'nobody') return { token: undefined, account: undefined };
    if (ref === 'forged') return { token: 'not.a.token', account: undefined };
    const { token, accountId } =
      (ref === 'signed in' ? this.signedIn[index % this.signedIn.length] : undefined) ??
      (this.sessions[ref] ?? this.sessions['user 0'])!;
    return { token, account: this.accounts.get(accountId) };
  }

  /** The account that a token was made for, whether or not it is still there. */
  accountIdOf(token: string | undefined): number | undefined {
    const sessions = [...Object.values(this.sessions), ...this.signedIn];
    return sessions.find((session) => session.token === token)?.accountId;
  }

  /** Whose token this is, for those who read about it. */
  nameOf(token: string | undefined): string {
    const known = Object.entries(this.sessions).find(([, session]) => session.token === token);
    if (known !== undefined) return known[0];
    const id = this.accountIdOf(token);
    if (id !== undefined) return `account ${id}`;
    return token === undefined ? 'nobody' : 'a forged token';
  }

  /** The id that a reference stands for just now. */
  target(resource: Resource, { of, index }: Ref, caller?: Caller): Target {
    if (of !== 'odd') {
      const all = of === 'any' || caller === undefined ? this.seen[resource] : this.idsFor(resource, caller);
      const ids = all.slice(-this.choice);
      if (ids.length > 0) return { text: String(ids[index % ids.length]), isWellFormed: true };
    }
    const [text, isWellFormed] = ODD_IDS[of === 'odd' ? index % ODD_IDS.length : 0]!;
    return { text, isWellFormed };
  }

  keptFor(ownerId: number, callerId: number, key: string): KeptAnswer | undefined {
    return this.kept.find((it) => it.ownerId === ownerId && it.callerId === callerId && it.key === key);
  }

  private idsFor(resource: Resource, { account }: Caller): readonly number[] {
    if (resource === 'accounts') return [...this.accounts.keys()];
    return [...this[resource].values()].filter((item) => mayRead(account, item)).map(({ id }) => id);
  }

  property({ text }: Target, caller: Caller): ModelProperty | undefined {
    const found = this.properties.get(Number(text));
    return found && mayRead(caller.account, found) ? found : undefined;
  }

  transaction({ text }: Target, caller: Caller): ModelTransaction | undefined {
    const found = this.transactions.get(Number(text));
    return found && mayRead(caller.account, found) ? found : undefined;
  }

  propertiesOf({ account }: Caller): ModelProperty[] {
    return [...this.properties.values()].filter((item) => mayRead(account, item));
  }

  transactionsOf({ account }: Caller): ModelTransaction[] {
    return [...this.transactions.values()].filter((item) => mayRead(account, item));
  }
}

function mayRead(account: ModelAccount | undefined, { ownerId }: { ownerId: number }): boolean {
  return account !== undefined && (account.role === 'ADMIN' || account.id === ownerId);
}
