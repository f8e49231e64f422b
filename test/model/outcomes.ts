import type { WireAnswer } from '../support/wire.js';
import type { JsonObject } from './difference.js';
import type { FileOfRows } from './files.js';

/** A request as the model sends it. */
export interface Call {
  readonly method: string;
  readonly target: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer that was as it had to be. */
export interface Answered {
  readonly answer: WireAnswer;
  readonly body: JsonObject;
  /** Milliseconds since 1970, before and after. */
  readonly sent: number;
  readonly received: number;
}

/** A row of the database, which tells what no answer does. */
export type Sql = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;

/** One answer that the contract allows, and what then is so. */
export interface Outcome {
  readonly status: number;
  /** Of a failure. */
  readonly slug?: string;
  /** The fields that a validation-failed must name, in alphabetical order. */
  readonly faults?: readonly string[];
  /** Further members of a problem document. */
  readonly members?: JsonObject;
  /** Of a success with a body. */
  readonly body?: unknown;
  /** Of a success whose body is no JSON. */
  readonly file?: FileOfRows;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Takes the change over into the model. Throws for what is wrong in what it learns. */
  readonly settle?: (answered: Answered, sql: Sql) => Promise<void> | void;
}

/** What is to be sent, and what may come back: nearly always one thing. */
export interface Prediction {
  readonly call: Call;
  readonly outcomes: readonly Outcome[];
  /** Nobody else comes that far; by default that goes by the operation. */
  readonly isForAdmin?: boolean;
}

/** A request with the caller's token. */
export function callOf(
  { token }: { readonly token: string | undefined },
  method: string,
  target: string,
  rest: Pick<Call, 'headers' | 'body'> = {},
): Call {
  return { method, target, token, ...rest };
}

const STATUS_OF: Readonly<Record<string, number>> = {
  'validation-failed': 400,
  'authentication-required': 401,
  'bad-credentials': 401,
  'access-denied': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'duplicate-email': 409,
  'duplicate-username': 409,
  'resource-in-use': 409,
  'concurrent-modification': 409,
  'idempotency-key-reused': 422,
  'import-refused': 422,
};

export function refused(
  slug: string,
  further: Pick<Outcome, 'faults' | 'headers' | 'members'> = {},
): Outcome {
  return { status: STATUS_OF[slug]!, slug, ...further };
}

export function invalid(faults: readonly string[]): Outcome {
  return refused('validation-failed', { faults: [...new Set(faults)].sort() });
}

/** What is wrong with the path's parameter and with the rest: which is told when both are at fault is open. */
export function invalidParts(inPath: readonly string[], inRest: readonly string[]): Outcome[] {
  const parts = inPath.length > 0 && inRest.length > 0 ? [inPath, inRest] : [];
  return [[...inPath, ...inRest], ...parts].filter(({ length }) => length > 0).map(invalid);
}

export const NOT_FOUND = refused('not-found');
export const CONFLICT = refused('concurrent-modification');
/** A deletion says nothing but that it was done. */
export const DELETED: Outcome = { status: 200 };
