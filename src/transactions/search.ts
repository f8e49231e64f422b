import type { TransactionSearchRequest } from './transactions.dto.js';
import type { Filter } from './transactions.queries.js';
import type { TransactionSort } from './transactions.sort.js';

/** Unpaid, and either marked so or past its due date. Never null, so that its complement is exact. */
const OVERDUE = `(t.paid_at IS NULL AND (t.status = 'OVERDUE'
  OR (t.due_date < now() AND t.status NOT IN ('PAID', 'CANCELLED', 'REFUNDED')))) IS TRUE`;

/** What `search_text` is made of, separated by {@link SEPARATOR} (see the migration). */
const SEARCHED = ['description', 'notes', 'vendor', 'subcategory', 'payment_reference', 'booking_reference'];
const SEPARATOR = '\u001f';
/** For a term without three letters or digits in a row the trigram index would be read from end to end. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u;

/**
 * How free text is looked for: by the trigram index, which finds the matches of all owners at once, or in every row of
 * the one owner, which is quicker for as long as there are few.
 */
export type TextSearch = 'indexed' | 'row-by-row';

/**
 * So many of an owner's rows are looked through in 15 ms. The index takes 1 ms for a rare term, but 50 ms for one
 * in every tenth of two million rows.
 */
export const MAX_ROW_BY_ROW = 5000;

/** The filters of a search, one for every field that is given. */
export function searchFilters(request: TransactionSearchRequest, textSearch: TextSearch): Filter[] {
  const filters: Filter[] = [];
  const add = (value: unknown, sql: (placeholder: string) => string, name?: string): void => {
    if (value !== null) filters.push({ sql, value, ...(name === undefined ? {} : { name }) });
  };
  add(request.startDate, (p) => `t.date >= ${p}::timestamptz`, 'from');
  // ANY, for of two bounds whose values it does not know PostgreSQL would assume that next to nothing lies between.
  add(request.endDate, (p) => `t.date <= ANY (ARRAY[${p}::timestamptz])`, 'to');
  add(request.minAmount, (p) => `t.amount >= ${p}::numeric`);
  add(request.maxAmount, (p) => `t.amount <= ${p}::numeric`);
  add(request.type, (p) => `t.type = ${p}::text`, 'type');
  add(request.category, (p) => `t.category = ${p}::text`);
  add(request.propertyId, (p) => `t.property_id = ${p}::bigint`);
  add(request.status, (p) => `t.status = ${p}::text`, 'status');
  add(request.paymentMethod, (p) => `t.payment_method = ${p}::text`);
  add(request.recurring, (p) => `t.recurring = ${p}::boolean`);
  add(request.frequency, (p) => `t.frequency = ${p}::text`);
  add(request.vendor, (p) => `strpos(lower(t.vendor), lower(${p}::text)) > 0`);
  add(request.approvalStatus, (p) => `t.approval_status = ${p}::text`);
  if (request.overdue !== null)
    filters.push({ sql: () => (request.overdue ? OVERDUE : `NOT (${OVERDUE})`), value: undefined });
  if (hasFreeText(request)) filters.push(freeText(request.searchTerm, textSearch));
  return filters;
}

/** A blank term asks for nothing. */
export function hasFreeText<Request extends Pick<TransactionSearchRequest, 'searchTerm'>>(
  request: Request,
): request is Request & { searchTerm: string } {
  return request.searchTerm !== null && request.searchTerm.trim() !== '';
}

function freeText(term: string, textSearch: TextSearch): Filter {
  if (textSearch === 'indexed' && HAS_TRIGRAM.test(term) && !term.includes(SEPARATOR))
    return { sql: (p) => `t.search_text LIKE lower(${p}::text)`, value: containing(term) };
  const texts = term.includes(SEPARATOR) ? SEARCHED.map((column) => `lower(t.${column})`) : ['t.search_text'];
  const sql = (p: string): string =>
    `(${texts.map((text) => `strpos(${text}, lower(${p}::text)) > 0`).join(' OR ')})`;
  return { sql, value: term };
}

/** A LIKE pattern for texts that contain this one; what LIKE would take for a wildcard stands for itself. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** By date, the latest first, unless the search says otherwise. */
export function searchSort({ sortBy, sortDirection }: TransactionSearchRequest): TransactionSort {
  return [{ field: sortBy ?? 'date', direction: sortDirection ?? (sortBy === null ? 'DESC' : 'ASC') }];
}
