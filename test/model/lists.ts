import { type Direction, inOrder, type Sortable } from '../support/ordering.js';
import type { Query } from './commands.js';

export type SortKey = readonly [field: string, direction: Direction];

/** What a list's query means. */
export interface Listing {
  /** With its question mark. */
  readonly text: string;
  readonly page: number;
  readonly size: number;
  readonly keys: readonly SortKey[];
  readonly faults: readonly string[];
  /** A walk cannot begin at two places; that is told where nothing else is wrong. */
  readonly hasTwoPlaces: boolean;
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
    ...['page', 'size', 'cursor'].filter((name) => partsOf(name).length > 1),
    ...query.filter(({ value }) => value === undefined).map(({ name }) => name),
  ];
  return {
    text: query.length === 0 ? '' : `?${query.map(({ text }) => text).join('&')}`,
    page: number('page', 0),
    size: number('size', 20),
    keys: keys.length === 0 ? [defaultKey] : keys,
    faults,
    hasTwoPlaces: ['page', 'cursor'].every((name) => partsOf(name).length > 0),
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
