import type { StoredTransaction } from './search-rows.js';

export type Sortable = string | number | bigint | boolean | null;
export type Direction = 'asc' | 'desc';
type Keys<Row> = readonly (readonly [valueOf: (row: Row) => Sortable, direction: Direction])[];

type TextFilter =
  'type' | 'category' | 'status' | 'paymentMethod' | 'frequency' | 'vendor' | 'approvalStatus';
type Bound = 'startDate' | 'endDate' | 'minAmount' | 'maxAmount';
type Flag = 'recurring' | 'overdue';
/** A search as the contract tells it; numbers are JSON text. */
export type SearchFields = Partial<
  Record<TextFilter | Bound | 'propertyId' | 'searchTerm' | 'sortBy' | 'sortDirection', string> &
    Record<Flag, boolean>
>;

const EXACT = [
  ...(['type', 'category', 'status', 'paymentMethod', 'frequency', 'approvalStatus'] as const),
  'recurring' as const,
];

/** The value of a transaction that a sort compares. */
export const valueOf =
  (field: string) =>
  (row: StoredTransaction): Sortable =>
    field === 'amount' ? row.cents : row[field as keyof StoredTransaction];

/** The rows that a search finds among those that the caller may read, in its order. */
export function expectedMatches(
  rows: readonly StoredTransaction[],
  search: SearchFields,
): StoredTransaction[] {
  const { sortBy = 'date' } = search;
  const direction = search.sortDirection?.toLowerCase() ?? (search.sortBy === undefined ? 'desc' : 'asc');
  return inOrder(
    rows.filter((row) => matches(row, search)),
    [[valueOf(sortBy), direction as Direction]],
  );
}

function matches(row: StoredTransaction, search: SearchFields): boolean {
  const { startDate, endDate, minAmount, maxAmount, propertyId, vendor, overdue, searchTerm = '' } = search;
  const { description, notes, subcategory, paymentReference, bookingReference } = row;
  const texts = [description, notes, row.vendor, subcategory, paymentReference, bookingReference];
  return (
    EXACT.every((field) => search[field] === undefined || search[field] === row[field]) &&
    (startDate === undefined || timeOf(row.date) >= timeOf(startDate)) &&
    (endDate === undefined || timeOf(row.date) <= timeOf(endDate)) &&
    (minAmount === undefined || compareWithCents(minAmount, row.cents) <= 0) &&
    (maxAmount === undefined || compareWithCents(maxAmount, row.cents) >= 0) &&
    (propertyId === undefined || propertyId === String(row.propertyId)) &&
    (vendor === undefined || contains(row.vendor, vendor)) &&
    (overdue === undefined || overdue === isOverdue(row)) &&
    (searchTerm.trim() === '' || texts.some((text) => contains(text, searchTerm)))
  );
}

function contains(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) ?? false;
}

function isOverdue({ paidAt, status, dueDate }: StoredTransaction): boolean {
  if (paidAt !== null) return false;
  if (status === 'OVERDUE') return true;
  const past = dueDate !== null && timeOf(dueDate) < Date.now();
  return past && !['PAID', 'CANCELLED', 'REFUNDED'].includes(status);
}

/** Without a zone it is UTC; digits behind the milliseconds are cut off. */
function timeOf(text: string): number {
  const zoned = /(Z|[+-]\d{2}:\d{2})$/i.test(text) ? text : `${text}Z`;
  return Date.parse(zoned.replace(/(\.\d{3})\d+/, '$1'));
}

/** -1, 0 or 1 as the JSON number is below, at or above so many cents; exact for any exponent that BigInt can bear. */
function compareWithCents(token: string, cents: number | bigint): number {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent) - 2; // in cents
  const [left, right] = [BigInt(whole + fraction), BigInt(cents)];
  const [a, b] = scale >= 0 ? [left, right * 10n ** BigInt(scale)] : [left * 10n ** BigInt(-scale), right];
  return a < b ? -1 : Number(a > b);
}

/** The keys of `sort=name,desc&sort=id`; of a field that comes twice the first counts. */
export function keysOf<Row>(query: string, value: (field: string) => (row: Row) => Sortable): Keys<Row> {
  const keys = new URLSearchParams(query).getAll('sort').map((key) => key.split(','));
  const first = keys.filter(([field], index) => keys.findIndex(([other]) => other === field) === index);
  return first.map(([field, direction]) => [value(field!), direction === 'desc' ? 'desc' : 'asc']);
}

/**
 * The order of a list: key after key, texts by code point, no value last when ascending and first when descending,
 * and rows that tie in everything by id, which descends where all keys do.
 */
export function inOrder<Row extends { readonly id: number }>(rows: readonly Row[], keys: Keys<Row>): Row[] {
  const descending = keys.length > 0 && keys.every(([, direction]) => direction === 'desc');
  return [...rows].sort((a, b) => {
    for (const [value, direction] of keys) {
      const order = compare(value(a), value(b));
      if (order !== 0) return direction === 'asc' ? order : -order;
    }
    return descending ? b.id - a.id : a.id - b.id;
  });
}

function compare(a: Sortable, b: Sortable): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  // UTF-8 sorts by code point; JavaScript's own order, of UTF-16 units, puts U+FB00 behind an emoji.
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : Number(a > b);
}
