import type { Choice } from './choices.js';

/** What a call says beside its operation and its caller. */
export interface Operations {
  readonly signUp: { readonly choices: Choices };
  readonly signIn: {
    readonly account: number;
    readonly how: 'right' | 'right, in capitals' | 'wrong password' | 'unknown name' | 'no password';
  };
  readonly me: object;
  readonly users: object;
  readonly user: One;
  readonly deleteUser: One;
  readonly createProperty: Keyed & { readonly choices: Choices };
  readonly property: Matched;
  readonly putProperty: Matched & { readonly choices: Choices };
  readonly deleteProperty: Matched;
  readonly properties: Listed;
  readonly exportProperties: Listed & AsFile;
  readonly createTransaction: Keyed & NewTransaction;
  readonly transaction: Matched;
  readonly putTransaction: Matched & NewTransaction;
  readonly deleteTransaction: Matched;
  readonly transactions: Listed;
  readonly transactionsOfProperty: One & Listed;
  readonly search: Searched;
  readonly export: Searched & AsFile;
  readonly profitAndLoss: Reported;
  readonly taxYear: Reported;
  readonly cashFlow: Reported;
  readonly batch: Keyed & { readonly rows: readonly NewTransaction[] };
  /** A file of rows that an export would have, and in NDJSON of others behind them. */
  readonly import: Keyed &
    AsFile & {
      readonly copies: readonly Ref[];
      readonly rows: readonly NewTransaction[];
      readonly dryRun: boolean;
      readonly duplicates: 'refuse' | 'skip' | 'allow' | undefined;
      /** The dates of the copies as days of this zone. */
      readonly timeZone: Zone | undefined;
    };
  /** A write of the caller that was answered under its key, sent again. */
  readonly repeat: Indexed;
  /** The next page of a list. */
  readonly walkOn: Indexed;
  /** A path or method that no operation has. */
  readonly otherRoute: Indexed;
}

/** Zones whose clocks are never set, and their hours east of UTC. */
export const ZONES = { UTC: 0, 'Asia/Tokyo': 9, 'America/Phoenix': -7 } as const;
export type Zone = keyof typeof ZONES;

export type Op = keyof Operations;

/**
 * One call, in terms that stay meaningful when the calls before it are taken away: whose token, and which of the
 * resources that are there by then.
 */
export type Request<O extends Op = Op> = {
  [Name in O]: { readonly op: Name; readonly caller: CallerRef } & Operations[Name];
}[O];

export type Command = Request | DatabaseChange;

type Choices = readonly Choice[];

interface One {
  readonly id: Ref;
}

export interface Matched extends One {
  /** Picks its precondition. */
  readonly match: number;
}

interface Listed {
  readonly query: Query;
}

interface AsFile {
  readonly isCsv: boolean;
  readonly form: CsvForm;
}

/** How CSV is written, and the parameters that say so. */
export interface CsvForm {
  readonly query: string;
  readonly separator: string;
  readonly decimal: string;
}

/** The Idempotency-Key: none, or one of a few, so that it comes again with another body. */
export interface Keyed {
  readonly key: number | undefined;
}

export interface NewTransaction {
  readonly property: Ref;
  readonly choices: Choices;
}

interface Searched {
  readonly property: Ref | undefined;
  readonly choices: Choices;
}

interface Reported {
  readonly property: Ref | undefined;
  /** Each picks one of what its oracle knows of that parameter. */
  readonly picks: readonly [number, number, number, number];
}

interface Indexed {
  readonly index: number;
}

/** What no request does: it is written to the database past the service. */
export type DatabaseChange =
  | { readonly op: 'setRole'; readonly account: number; readonly role: 'USER' | 'ADMIN' }
  | { readonly op: 'setColumns'; readonly id: Ref; readonly index: number };

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
