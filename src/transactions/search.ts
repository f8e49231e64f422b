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
  const compare = (sql: (placeholder: string) => string, value: unknown): void => {
    if (value !== null) filters.push({ sql, value });
  };
  compare((p) => `t.date >= ${p}::timestamptz`, request.startDate);
  compare((p) => `t.date <= ${p}::timestamptz`, request.endDate);
  compare((p) => `t.amount >= ${p}::numeric`, request.minAmount);
  compare((p) => `t.amount <= ${p}::numeric`, request.maxAmount);
  compare((p) => `t.type = ${p}::text`, request.type);
  compare((p) => `t.category = ${p}::text`, request.category);
  compare((p) => `t.property_id = ${p}::bigint`, request.propertyId);
  compare((p) => `t.status = ${p}::text`, request.status);
  compare((p) => `t.payment_method = ${p}::text`, request.paymentMethod);
  compare((p) => `t.recurring = ${p}::boolean`, request.recurring);
  compare((p) => `t.frequency = ${p}::text`, request.frequency);
  compare(
    (p) => `lower(t.vendor) LIKE lower(${p}::text)`,
    request.vendor === null ? null : containing(request.vendor),
  );
  compare((p) => `t.approval_status = ${p}::text`, request.approvalStatus);
  if (request.overdue !== null)
    filters.push({ sql: () => (request.overdue ? OVERDUE : `NOT (${OVERDUE})`), value: undefined });
  filters.push(...freeText(request.searchTerm));
  return filters;
}

function freeText(term: string | null): Filter[] {
  if (term === null || term.trim() === '') return [];
  const columns = term.includes(SEPARATOR)
    ? SEARCHED.map((column) => `lower(t.${column})`)
    : ['t.search_text'];
  const sql = (p: string): string =>
    `(${columns.map((column) => `${column} LIKE lower(${p}::text)`).join(' OR ')})`;
  return [{ sql, value: containing(term) }];
}

/** A LIKE pattern for texts that contain this one; what LIKE would take for a wildcard stands for itself. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** By date, the latest first, unless the search says otherwise. */
export function searchSort({ sortBy, sortDirection }: TransactionSearchRequest): TransactionSort {
  return [{ field: sortBy ?? 'date', direction: sortDirection ?? (sortBy === null ? 'DESC' : 'ASC') }];
}
