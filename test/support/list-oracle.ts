import type { StoredRow, StoredTransaction } from './random-ledger.js';

type Sortable = string | number | bigint | boolean | null;

type TextFilter = Exclude<(typeof EXACT)[number], 'recurring'> | 'vendor';
type Bound = 'startDate' | 'endDate' | 'minAmount' | 'maxAmount';
type Flag = 'recurring' | 'overdue';
/** A search as the contract tells it; numbers are JSON text. */
export type SearchFields = Partial<
  Record<TextFilter | Bound | 'propertyId' | 'searchTerm' | 'sortBy' | 'sortDirection', string> &
    Record<Flag, boolean>
>;

const EXACT = [
  ...(['type', 'category', 'status', 'paymentMethod', 'frequency', 'approvalStatus'] as const),
  ...(['bookingReference', 'paymentReference', 'recurring'] as const),
];

/** `date` and `amount` are those of either kind of row. */
function valueOf(row: StoredRow, field: string): Sortable {
  if (field === 'amount' || field === 'basePrice') return row.cents;
  const name = field === 'date' && !('date' in row) ? 'createdAt' : field;
  return row[name as keyof StoredRow];
}

/** The rows that a search finds among those that the caller may read, in its order. */
export function expectedMatches<Row extends StoredTransaction>(
  rows: readonly Row[],
  search: SearchFields,
): Row[] {
  const { sortBy = 'date' } = search;
  const direction = search.sortDirection?.toLowerCase() ?? (search.sortBy === undefined ? 'desc' : 'asc');
  return inOrder(
    rows.filter((row) => matches(row, search)),
    `sort=${sortBy},${direction}`,
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

/**
 * The order of a list by `sort=name,desc&sort=id`: key after key, texts by code point, no value last when ascending and
 * first when descending, and rows that tie in everything by id, which descends where all keys do. Of a field that comes
 * twice the first counts.
 */
export function inOrder<Row extends StoredRow>(rows: readonly Row[], query: string): Row[] {
  const given = new URLSearchParams(query).getAll('sort').map((key) => key.split(','));
  const isFirst = ([field]: string[], index: number): boolean =>
    given.findIndex(([other]) => other === field) === index;
  const keys = given.filter(isFirst).map(([field, direction = 'asc']) => ({
    field: field!,
    isDescending: direction.toLowerCase() === 'desc',
  }));
  const byId = keys.length > 0 && keys.every(({ isDescending }) => isDescending) ? -1 : 1;
  return [...rows].sort((a, b) => {
    for (const { field, isDescending } of keys) {
      const order = compare(valueOf(a, field), valueOf(b, field));
      if (order !== 0) return isDescending ? -order : order;
    }
    return byId * (a.id - b.id);
  });
}

function compare(a: Sortable, b: Sortable): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  // UTF-8 sorts by code point; JavaScript's own order, of UTF-16 units, puts U+FB00 behind an emoji.
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : Number(a > b);
}
