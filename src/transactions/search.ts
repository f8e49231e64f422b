import type { TransactionSearchRequest } from './transactions.dto.js';
import type { Filter, TransactionSort } from './transactions.queries.js';

/** Unpaid, and either marked so or past its due date. Never null, so that its complement is exact. */
const OVERDUE = `(t.paid_at IS NULL AND (t.status = 'OVERDUE'
  OR (t.due_date < now() AND t.status NOT IN ('PAID', 'CANCELLED', 'REFUNDED')))) IS TRUE`;

/** What `search_text` is made of, separated by {@link SEPARATOR} (see the migration). */
const SEARCHED = ['description', 'notes', 'vendor', 'subcategory', 'payment_reference', 'booking_reference'];
const SEPARATOR = '\u001f';

/** The filters of a search, one for every field that is given. */
export function searchFilters(request: TransactionSearchRequest): Filter[] {
  const filters: Filter[] = [];
  const compare = (sql: string, value: unknown): void => {
    if (value !== null)
      filters.push({ sql: (placeholder = '') => sql.replace('?', placeholder), values: [value] });
  };
  compare('t.date >= ?::timestamptz', request.startDate);
  compare('t.date <= ?::timestamptz', request.endDate);
  compare('t.amount >= ?::numeric', request.minAmount);
  compare('t.amount <= ?::numeric', request.maxAmount);
  compare('t.type = ?::text', request.type);
  compare('t.category = ?::text', request.category);
  compare('t.property_id = ?::bigint', request.propertyId);
  compare('t.status = ?::text', request.status);
  compare('t.payment_method = ?::text', request.paymentMethod);
  compare('t.recurring = ?::boolean', request.recurring);
  compare('t.frequency = ?::text', request.frequency);
  compare('lower(t.vendor) LIKE lower(?::text)', request.vendor === null ? null : containing(request.vendor));
  compare('t.approval_status = ?::text', request.approvalStatus);
  if (request.overdue !== null)
    filters.push({ sql: () => (request.overdue ? OVERDUE : `NOT (${OVERDUE})`), values: [] });
  filters.push(...freeText(request.searchTerm));
  return filters;
}

function freeText(term: string | null): Filter[] {
  if (term === null || term.trim() === '') return [];
  const columns = term.includes(SEPARATOR)
    ? SEARCHED.map((column) => `lower(t.${column})`)
    : ['t.search_text'];
  const sql = (placeholder = ''): string =>
    `(${columns.map((column) => `${column} LIKE lower(${placeholder}::text)`).join(' OR ')})`;
  return [{ sql, values: [containing(term)] }];
}

/** A LIKE pattern for texts that contain this one; what LIKE would take for a wildcard stands for itself. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** By date, the latest first, unless the search says otherwise. */
export function searchSort({ sortBy, sortDirection }: TransactionSearchRequest): TransactionSort {
  return [{ field: sortBy ?? 'date', direction: sortDirection ?? (sortBy === null ? 'DESC' : 'ASC') }];
}
