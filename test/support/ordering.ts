export type Sortable = string | number | bigint | boolean | null;
export type Direction = 'asc' | 'desc';

type Keys<Row> = readonly (readonly [valueOf: (row: Row) => Sortable, direction: Direction])[];

/** What `sort=name,desc&sort=id` asks for; of a field that comes twice the first counts. */
export function keysOf<Row>(query: string, valueOf: (field: string) => (row: Row) => Sortable): Keys<Row> {
  const keys = new URLSearchParams(query).getAll('sort').map((key) => key.split(','));
  const first = keys.filter(([field], index) => keys.findIndex(([other]) => other === field) === index);
  return first.map(([field, direction]) => [valueOf(field!), direction === 'desc' ? 'desc' : 'asc']);
}

/**
 * The order of a list: key after key, texts by code point, no value last when ascending and first when descending,
 * and rows that tie in everything by id, which descends where all keys do.
 */
export function inOrder<Row extends { readonly id: number }>(rows: readonly Row[], keys: Keys<Row>): Row[] {
  const descending = keys.length > 0 && keys.every(([, direction]) => direction === 'desc');
  return [...rows].sort((a, b) => {
    for (const [valueOf, direction] of keys) {
      const order = compare(valueOf(a), valueOf(b));
      if (order !== 0) return direction === 'asc' ? order : -order;
    }
    return descending ? b.id - a.id : a.id - b.id;
  });
}

function compare(a: Sortable, b: Sortable): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'string' && typeof b === 'string') return compareByCodePoint(a, b);
  return a < b ? -1 : Number(a > b);
}

/** JavaScript's own order is that of UTF-16 units, which puts U+FB00 behind an emoji. */
function compareByCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (const [index, char] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (char !== other) return char.codePointAt(0)! - other.codePointAt(0)!;
  }
  return left.length - right.length;
}
