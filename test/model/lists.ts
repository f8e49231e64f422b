import { LosslessNumber } from 'lossless-json';
import { type Direction, inOrder, type Sortable } from '../support/ordering.js';
import type { Query } from './commands.js';
import { type JsonObject } from './difference.js';

export type SortKey = readonly [field: string, direction: Direction];

/** What a list's query means. */
export interface Listing {
  /** With its question mark. */
  readonly text: string;
  readonly page: number;
  readonly size: number;
  readonly keys: readonly SortKey[];
  readonly faults: readonly string[];
}

export function readQuery(query: Query, defaultKey: SortKey): Listing {
  const partsOf = (name: string): Query => query.filter((part) => part.name === name);
  const number = (name: string, fallback: number): number =>
    (partsOf(name)[0]?.value as number | undefined) ?? fallback;
  const sorts = partsOf('sort');
  const given = sorts.flatMap(({ value }) => (value === undefined ? [] : [value as SortKey]));
  // A field that comes again changes nothing, not even the direction of the id.
  const keys = given.filter(([field], index) => given.findIndex(([other]) => other === field) === index);
  const faults = [
    ...['page', 'size'].filter((name) => partsOf(name).length > 1),
    ...query.filter(({ value }) => value === undefined).map(({ name }) => name),
  ];
  return {
    text: query.length === 0 ? '' : `?${query.map(({ text }) => text).join('&')}`,
    page: number('page', 0),
    size: number('size', 20),
    keys: keys.length === 0 ? [defaultKey] : keys,
    faults,
  };
}

/** The envelope with that page of the rows. */
export function pageOf<Row extends { readonly id: number }>(
  rows: readonly Row[],
  { page, size }: { readonly page: number; readonly size: number },
  elementOf: (row: Row) => JsonObject,
): JsonObject {
  const totalPages = Math.ceil(rows.length / size);
  return {
    content: rows.slice(page * size, (page + 1) * size).map(elementOf),
    page: new LosslessNumber(String(page)),
    size: new LosslessNumber(String(size)),
    totalElements: new LosslessNumber(String(rows.length)),
    totalPages: new LosslessNumber(String(totalPages)),
    last: page >= totalPages - 1,
  };
}

export function sorted<Row extends { readonly id: number }>(
  rows: readonly Row[],
  keys: readonly SortKey[],
  valueOf: (field: string) => (row: Row) => Sortable,
): Row[] {
  return inOrder(
    rows,
    keys.map(([field, direction]) => [valueOf(field), direction] as const),
  );
}
