import { parse } from 'lossless-json';
import { faultsOf } from '../support/outcome.js';
import { headerFaults, problemFaults, type Told } from '../support/problem-document.js';
import { difference, type JsonObject } from './values.js';

export interface Call {
  readonly method: string;
  readonly target: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Sql = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;

/** A right response. */
export interface Answered {
  readonly answer: Told;
  readonly body: JsonObject;
  /** Milliseconds since 1970, before and after the call. */
  readonly sent: number;
  readonly received: number;
}

/** A response that the contract allows, and its effect. */
export interface Outcome {
  readonly status: number;
  /** Of a failure. */
  readonly slug?: string;
  /** The fields that a validation-failed names, in alphabetical order. */
  readonly faults?: readonly string[];
  /** Of a success with a body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Updates the model. Throws for a fault in the learned values. */
  readonly settle?: (answered: Answered, sql: Sql) => Promise<void> | void;
}

/** A request, and the responses that are right: nearly always one. */
export interface Prediction {
  readonly call: Call;
  readonly outcomes: readonly Outcome[];
}

export function callOf(
  { token }: Pick<Call, 'token'>,
  method: string,
  target: string,
  rest: Pick<Call, 'headers' | 'body'> = {},
): Call {
  return { method, target, token, ...rest };
}

const STATUS_OF: Readonly<Record<string, number>> = {
  'validation-failed': 400,
  'authentication-required': 401,
  'not-found': 404,
  'resource-in-use': 409,
  'concurrent-modification': 409,
  'idempotency-key-reused': 422,
};

export function refused(slug: string, headers?: Outcome['headers']): Outcome {
  return { status: STATUS_OF[slug]!, slug, ...(headers && { headers }) };
}

export function invalid(faults: readonly string[]): Outcome {
  return { ...refused('validation-failed'), faults: [...new Set(faults)].sort() };
}

/** Faults of the path, of the rest, or of both: the contract leaves it open. */
export function invalidParts(inPath: readonly string[], inRest: readonly string[]): Outcome[] {
  const parts = inPath.length > 0 && inRest.length > 0 ? [inPath, inRest] : [];
  return [[...inPath, ...inRest], ...parts].filter(({ length }) => length > 0).map(invalid);
}

export const NOT_FOUND = refused('not-found');
export const CONFLICT = refused('concurrent-modification');

export function requireEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what} is ${String(actual)} instead of ${String(expected)}`);
}

/** Milliseconds: the database rounds to them. */
const LEEWAY = 2;

/** Throws unless this lies within the call. */
export function requireNow(what: string, time: string, { sent, received }: Answered): void {
  const at = Date.parse(time);
  if (at < sent - LEEWAY || at > received + LEEWAY)
    throw new Error(`${what} is ${time}, which is ${at - sent} ms after the call`);
}

/** The reason why a response is not this outcome. */
export function mismatch(outcome: Outcome, answer: Told, path: string): string | undefined {
  const { status, slug, headers = {} } = outcome;
  if (answer.status !== status)
    return `status ${answer.status} instead of ${status} ${slug ?? ''}: ${answer.text.slice(0, 500)}`;
  const [fault] = slug === undefined ? headerFaults(answer) : problemFaults(answer, path);
  if (fault !== undefined) return fault;
  for (const [name, expected] of Object.entries(headers)) {
    const actual = answer.headers.get(name) ?? undefined;
    if (actual !== expected) return `header ${name} is ${actual} instead of ${expected}`;
  }
  return slug === undefined ? bodyMismatch(outcome, answer) : problemMismatch(slug, outcome, answer);
}

function problemMismatch(slug: string, { faults }: Outcome, { text }: Told): string | undefined {
  const { type } = JSON.parse(text) as { type: string };
  if (!type.endsWith(`:${slug}`)) return `${type} instead of ${slug}`;
  const [named, expected] = [faultsOf({ text }).join(' '), faults?.join(' ') ?? ''];
  return named === expected ? undefined : `errors of ${named} instead of ${expected}`;
}

function bodyMismatch({ body }: Outcome, { headers, text }: Told): string | undefined {
  const type = headers.get('content-type') ?? 'none';
  if (body === undefined)
    return text === '' && type === 'none' ? undefined : `a body ${type} ${text.slice(0, 200)}`;
  return /^application\/json\b/.test(type) ? difference(body, parse(text)) : `content-type ${type}`;
}
