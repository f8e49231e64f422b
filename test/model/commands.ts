import type { Choice } from './choices.js';

/**
 * One call, in terms that stay meaningful when the calls before it are taken away: whose token, and which of the
 * resources that are there by then.
 */
export type Command =
  | SignUp
  | SignIn
  | { readonly op: 'me' | 'users'; readonly caller: CallerRef }
  | { readonly op: 'user' | 'deleteUser'; readonly caller: CallerRef; readonly id: Ref }
  | CreateProperty
  | ReadOne
  | PutProperty
  | DeleteOne
  | { readonly op: 'properties' | 'transactions'; readonly caller: CallerRef; readonly query: Query }
  | ExportProperties
  | {
      readonly op: 'transactionsOfProperty';
      readonly caller: CallerRef;
      readonly id: Ref;
      readonly query: Query;
    }
  | CreateTransaction
  | PutTransaction
  | Search
  | Export
  | Report
  | Again
  | Batch
  | Import
  | OtherRoute
  | DatabaseChange;

export interface SignUp {
  readonly op: 'signUp';
  readonly caller: CallerRef;
  readonly choices: readonly Choice[];
}

export interface SignIn {
  readonly op: 'signIn';
  readonly caller: CallerRef;
  readonly account: number;
  readonly how: 'right' | 'right, in capitals' | 'wrong password' | 'unknown name' | 'no password';
}

export interface CreateProperty {
  readonly op: 'createProperty';
  readonly caller: CallerRef;
  readonly choices: readonly Choice[];
  readonly key: Key;
}

export interface PutProperty {
  readonly op: 'putProperty';
  readonly caller: CallerRef;
  readonly id: Ref;
  readonly choices: readonly Choice[];
  readonly match: number;
}

export interface ReadOne {
  readonly op: 'property' | 'transaction';
  readonly caller: CallerRef;
  readonly id: Ref;
  readonly match: number;
}

export interface DeleteOne {
  readonly op: 'deleteProperty' | 'deleteTransaction';
  readonly caller: CallerRef;
  readonly id: Ref;
  readonly match: number;
}

export interface CreateTransaction {
  readonly op: 'createTransaction';
  readonly caller: CallerRef;
  readonly property: Ref;
  readonly choices: readonly Choice[];
  readonly key: Key;
}

export interface NewTransaction {
  readonly property: Ref;
  readonly choices: readonly Choice[];
}

export interface Batch {
  readonly op: 'batch';
  readonly caller: CallerRef;
  readonly rows: readonly NewTransaction[];
  readonly key: Key;
}

/** A file of rows that an export would have, and in NDJSON of others behind them. */
export interface Import {
  readonly op: 'import';
  readonly caller: CallerRef;
  readonly copies: readonly Ref[];
  readonly rows: readonly NewTransaction[];
  readonly isCsv: boolean;
  readonly dryRun: boolean;
  readonly duplicates: 'refuse' | 'skip' | 'allow' | undefined;
  readonly key: Key;
}

export interface PutTransaction {
  readonly op: 'putTransaction';
  readonly caller: CallerRef;
  readonly id: Ref;
  readonly property: Ref;
  readonly choices: readonly Choice[];
  readonly match: number;
}

export interface Search {
  readonly op: 'search';
  readonly caller: CallerRef;
  readonly property: Ref | undefined;
  readonly choices: readonly Choice[];
}

export interface Export extends Omit<Search, 'op'> {
  readonly op: 'export';
  readonly isCsv: boolean;
}

export interface ExportProperties {
  readonly op: 'exportProperties';
  readonly caller: CallerRef;
  readonly query: Query;
  readonly isCsv: boolean;
}

export interface Report {
  readonly op: 'profitAndLoss' | 'taxYear' | 'cashFlow';
  readonly caller: CallerRef;
  readonly property: Ref | undefined;
  /** Each picks one of what its oracle knows of that parameter. */
  readonly picks: readonly [number, number, number, number];
}

/** A write of the caller that was answered under its key, sent again, or the next page of a list. */
export interface Again {
  readonly op: 'repeat' | 'walkOn';
  readonly caller: CallerRef;
  readonly index: number;
}

/** A path or method that no operation has. */
export interface OtherRoute {
  readonly op: 'otherRoute';
  readonly caller: CallerRef;
  readonly index: number;
}

/** What no request does: it is written to the database past the service. */
export type DatabaseChange =
  | { readonly op: 'setRole'; readonly account: number; readonly role: 'USER' | 'ADMIN' }
  | { readonly op: 'setColumns'; readonly id: Ref; readonly index: number };

/** The Idempotency-Key: none, or one of a few, so that it comes again with another body. */
export type Key = number | undefined;

/** 'signed in': with a token that a sign-in of this sequence has answered. */
export type CallerRef = 'user 0' | 'user 1' | 'user 2' | 'admin' | 'signed in' | 'nobody' | 'forged';

/** A resource: one that the caller may see, any that ever was, or an id out of {@link ODD_IDS}. */
export interface Ref {
  readonly of: 'mine' | 'any' | 'odd';
  readonly index: number;
}

export interface QueryPart {
  readonly name: string;
  /** As it stands in the target. */
  readonly text: string;
  /** The number, or field and direction; undefined for a fault. */
  readonly value?: number | readonly [field: string, direction: 'asc' | 'desc'];
}

export type Query = readonly QueryPart[];

/** Ids that are nobody's: those that are well-formed name nothing, the others are refused. */
export const ODD_IDS: readonly (readonly [text: string, isWellFormed: boolean])[] = [
  ['999999999999', true],
  ['0', true],
  ['-1', true],
  ['9223372036854775807', true],
  ['-9223372036854775808', true],
  ['9223372036854775808', false],
  ['01', false],
  ['+1', false],
  ['1.0', false],
  ['1e1', false],
  ['abc', false],
  ['%20', false],
  ['1%00', false],
];
