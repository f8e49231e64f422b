import { instantOf } from '../../http/fields/instant.js';
import { isStorable } from '../../http/fields/values.js';
import type { Order, SortColumn } from './list-statement.js';

/** How far a walk through a list has come. */
export interface Mark {
  /** The pages that have been read. */
  readonly page: number;
  /** The elements on all pages, as the first page had it. */
  readonly total: number;
  readonly position: Position;
}

/** The sort keys of the last row that was read, as text; null where it has no value. */
export type Position = readonly (string | null)[];

export function writeCursor({ page, total, position }: Mark): string {
  return Buffer.from(JSON.stringify([page, total, ...position])).toString('base64url');
}

/** Undefined unless it has a value that fits each sort key. It is input: anybody can write one. */
export function readCursor(cursor: string, order: Order): Mark | undefined {
  const mark = jsonIn(cursor);
  if (!Array.isArray(mark) || mark.length !== order.length + 2) return undefined;
  const [page, total, ...keys] = mark as unknown[];
  if (!isCount(page, MAX_PAGE) || !isCount(total, Number.MAX_SAFE_INTEGER)) return undefined;
  const position = order.map((column, index) => keyOf(keys[index], column));
  return position.includes(undefined) ? undefined : { page, total, position: position as Position };
}

const MAX_PAGE = 2 ** 31 - 1;

function jsonIn(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

/** The value of a sort key, as PostgreSQL reads it without fail; undefined when it is none. */
function keyOf(value: unknown, { type, nullable }: SortColumn): string | null | undefined {
  if (value === null) return nullable === true ? null : undefined;
  return typeof value === 'string' ? READERS[type](value) : undefined;
}

const READERS: Readonly<Record<SortColumn['type'], (text: string) => string | undefined>> = {
  bigint: (text) => integer(text, 64),
  integer: (text) => integer(text, 32),
  numeric: (text) => (/^-?\d{1,17}(\.\d{1,2})?$/.test(text) ? text : undefined),
  timestamptz: (text) => instantOf(text.replace(' ', 'T')),
  text: (text) => (isStorable(text) ? text : undefined),
  boolean: (text) => (text === 'true' || text === 'false' ? text : undefined),
};

function integer(text: string, bits: number): string | undefined {
  return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text) ? text : undefined;
}
