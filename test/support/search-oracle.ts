import { type Direction, inOrder, type Sortable } from './ordering.js';
import type { StoredTransaction } from './search-rows.js';

/** A search as the contract tells it; numbers are JSON text. */
export interface SearchFields {
  startDate?: string;
  endDate?: string;
  minAmount?: string;
  maxAmount?: string;
  type?: string;
  category?: string;
  propertyId?: string;
  status?: string;
  paymentMethod?: string;
  recurring?: boolean;
  frequency?: string;
  vendor?: string;
  approvalStatus?: string;
  overdue?: boolean;
  searchTerm?: string;
  sortBy?: string;
  sortDirection?: string;
}

const COLUMN_OF: Readonly<Record<string, (row: StoredTransaction) => Sortable>> = {
  id: (row) => row.id,
  date: (row) => row.date,
  amount: (row) => row.cents,
  createdAt: (row) => row.created_at,
  updatedAt: (row) => row.updated_at,
  dueDate: (row) => row.due_date,
  paidAt: (row) => row.paid_at,
  category: (row) => row.category,
  type: (row) => row.type,
  status: (row) => row.status,
  description: (row) => row.description,
  vendor: (row) => row.vendor,
};

export function valueOf(field: string): (row: StoredTransaction) => Sortable {
  return COLUMN_OF[field]!;
}

/** What a search must find among the rows that the caller may read, in its order. */
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
  const equal = (wanted: unknown, value: unknown): boolean => wanted === undefined || wanted === value;
  return (
    (search.startDate === undefined || timeOf(row.date) >= timeOf(search.startDate)) &&
    (search.endDate === undefined || timeOf(row.date) <= timeOf(search.endDate)) &&
    (search.minAmount === undefined || compareWithCents(search.minAmount, row.cents) <= 0) &&
    (search.maxAmount === undefined || compareWithCents(search.maxAmount, row.cents) >= 0) &&
    equal(search.type, row.type) &&
    equal(search.category, row.category) &&
    equal(search.propertyId, String(row.property_id)) &&
    equal(search.status, row.status) &&
    equal(search.paymentMethod, row.payment_method) &&
    equal(search.recurring, row.recurring) &&
    equal(search.frequency, row.frequency) &&
    (search.vendor === undefined || contains(row.vendor, search.vendor)) &&
    equal(search.approvalStatus, row.approval_status) &&
    equal(search.overdue, isOverdue(row)) &&
    hasTerm(row, search.searchTerm ?? '')
  );
}

function hasTerm(row: StoredTransaction, term: string): boolean {
  if (term.trim() === '') return true;
  const { description, notes, vendor, subcategory, payment_reference, booking_reference } = row;
  const texts = [description, notes, vendor, subcategory, payment_reference, booking_reference];
  return texts.some((text) => contains(text, term));
}

function contains(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) ?? false;
}

function isOverdue({ paid_at, status, due_date }: StoredTransaction): boolean {
  if (paid_at !== null) return false;
  if (status === 'OVERDUE') return true;
  const past = due_date !== null && timeOf(due_date) < Date.now();
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
