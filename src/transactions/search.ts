import type { ListStatement } from '../database/lists/statement.js';
import { FACETS, facetsOf } from './transaction.enums.js';
import type { TransactionFilters } from './dto/transaction.request.js';
import type { TransactionSort } from './transaction.entity.js';

const { status } = FACETS;
const STATUS = `(t.facets & ${status.mask})`;
const SETTLED = ['PAID', 'CANCELLED', 'REFUNDED'].map((value) => status.of(value)).join(', ');
/** Neither paid nor settled otherwise: what is or may become overdue. To the letter the predicate of an index. */
export const OPEN = `(t.paid_at IS NULL AND ${STATUS} NOT IN (${SETTLED}))`;
/** Unpaid, and either marked so or past its due date. Never null, so that its complement is exact. */
export const OVERDUE = `(t.paid_at IS NULL AND (${STATUS} = ${status.of('OVERDUE')}
  OR (t.due_date < now() AND ${STATUS} NOT IN (${SETTLED})))) IS TRUE`;

const SEPARATOR = '\u001f';
const SEARCHED = ['description', 'notes', 'vendor', 'subcategory', 'payment_reference', 'booking_reference'];
/** The expression of the trigram index, to the letter (see the migration). */
const SEARCH_TEXT = `lower(${SEARCHED.map((field) => `coalesce(t.${field}, '')`).join(` || E'\\x1f' || `)})`;
/** A term without three letters or digits in a row would read the trigram index from end to end. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u;

/** Free text is found by the trigram index of all owners' rows, or row by row, which is quicker for an owner with few. */
export type TextSearch = 'indexed' | 'row-by-row';

/** Rows searched one by one, in 15 ms. The index takes 1 ms, but 50 ms for a term in every tenth of two million rows. */
export const MAX_ROW_BY_ROW = 5000;

interface Filter {
  /** SQL over the alias `t`; `bind` takes a value and returns its placeholder. */
  readonly sql: (bind: (value: unknown) => string) => string;
  /** Given to a filter that may be part of a prepared statement. */
  readonly name?: string;
  /** Evaluating it takes longer than finding the row. */
  readonly expensive?: boolean;
}

/**
 * For values that it does not know PostgreSQL expects a 200th of the rows between two amounts, and would look them up by the
 * index by amount. A condition that IS TRUE is for no index: the entries by date have the amount, too.
 */
const AMOUNTS = 'amounts';

/** The matches of a search in its order; by default by date, the latest first. */
export function searchPage(
  listBy: (sort: TransactionSort) => ListStatement,
  request: TransactionFilters,
  textSearch: TextSearch,
): ListStatement {
  const { sortBy, sortDirection } = request;
  const [field, direction] = [sortBy ?? 'date', sortDirection ?? (sortBy === null ? 'DESC' : 'ASC')];
  const list = listBy([{ field, direction }]);
  const filters = searchFilters(request, textSearch);
  if (filters.length === 0) return list;
  const names = filters.map(({ name }) => name);
  const expensive = filters.some((filter) => filter.expensive === true);
  // The index of the default order serves these filters whatever their values, in less time than planning takes. The best
  // plan of any other search depends on how rare the values are.
  const isPrepared =
    list.ofOneOwner === true && field === 'date' && direction === 'DESC' && !names.includes(undefined);
  const values = [...list.values];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = filters.map(({ sql, name }) =>
    isPrepared && name === AMOUNTS ? `(${sql(bind)}) IS TRUE` : sql(bind),
  );
  const where = [list.where, ...conditions].join(' AND ');
  const { table, view, order, ofOneOwner, most } = list;
  // Members are named: V8 takes 5 µs to add some to a copy of the list.
  return {
    table,
    view,
    order,
    ofOneOwner,
    most,
    name: isPrepared ? `transactions.by.${names.join('.')}` : undefined,
    isLong: !isPrepared,
    where,
    total: `(SELECT count(*) FROM ${expensive ? 'found' : `transactions t WHERE ${where}`})`,
    counted: true,
    expensive,
    values,
  };
}

/** None when the search asks for everything. */
function searchFilters(request: TransactionFilters, textSearch: TextSearch): Filter[] {
  const texts = textFilters(request, textSearch);
  const ranges = rangeFilters(request);
  const { startDate, endDate } = request;
  const [start, end] = [startDate ?? '-infinity', endDate ?? 'infinity'];
  const { mask, bits } = facetsOf(request);
  const hasPeriod = startDate !== null || endDate !== null;
  const hasFacets = mask !== 0;
  // The best index for amounts alone depends on how rare they are. All other filters but texts share one statement, whose
  // period may be open at both ends: the index of the default order serves it.
  const amountsAlone = !hasPeriod && !hasFacets && ranges.every(({ name }) => name === AMOUNTS);
  const together = texts.length === 0 && !amountsAlone;
  const filters: Filter[] = [...(amountsAlone ? ranges.map(({ sql }) => ({ sql })) : ranges), ...texts];
  if (together || hasFacets)
    filters.unshift({
      name: 'facets',
      sql: (bind) => `t.facets & ${bind(mask)}::integer = ${bind(bits)}::integer`,
    });
  if (together || hasPeriod)
    filters.unshift({
      name: 'period',
      sql: (bind) => `t.date BETWEEN ${bind(start)}::timestamptz AND ${bind(end)}::timestamptz`,
    });
  return filters;
}

function rangeFilters({ minAmount, maxAmount, propertyId, overdue }: TransactionFilters): Filter[] {
  const filters: Filter[] = [];
  const [least, most] = [minAmount ?? '-Infinity', maxAmount ?? 'Infinity'];
  if (minAmount !== null || maxAmount !== null)
    filters.push({
      name: AMOUNTS,
      sql: (bind) => `t.amount BETWEEN ${bind(least)}::numeric AND ${bind(most)}::numeric`,
    });
  if (propertyId !== null)
    filters.push({ name: 'property', sql: (bind) => `t.property_id = ${bind(propertyId)}::bigint` });
  if (overdue === true) filters.push({ name: 'overdue', sql: () => OVERDUE });
  if (overdue === false) filters.push({ name: 'in-time', sql: () => `NOT (${OVERDUE})` });
  return filters;
}

/** SQL of the fields that are found by their text: a part of the vendor, or a reference as it is. */
const BY_TEXT = {
  vendor: (text: string) => `strpos(lower(t.vendor), lower(${text})) > 0`,
  bookingReference: (text: string) => `t.booking_reference = ${text}`,
  paymentReference: (text: string) => `t.payment_reference = ${text}`,
};
const TEXT_FIELDS = Object.keys(BY_TEXT) as (keyof typeof BY_TEXT)[];

function textFilters(request: TransactionFilters, textSearch: TextSearch): Filter[] {
  const { approvalStatus, searchTerm } = request;
  const filters: Filter[] = [];
  for (const field of TEXT_FIELDS) {
    const text = request[field];
    if (text === null) continue;
    if (isIndexed(text, textSearch)) filters.push(textsWith(text)); // they hold the field
    filters.push({ sql: (bind) => BY_TEXT[field](`${bind(text)}::text`) });
  }
  if (approvalStatus !== null)
    filters.push({ sql: (bind) => `t.approval_status = ${bind(approvalStatus)}::text` });
  if (searchTerm !== null && !isBlank(searchTerm)) filters.push(freeText(searchTerm, textSearch));
  return filters;
}

/** A blank term asks for nothing. */
const isBlank = (term: string): boolean => term.trim() === '';

/** Whether there is text for the trigram index. */
export function hasText(request: TransactionFilters): boolean {
  return TEXT_FIELDS.some((field) => request[field] !== null) || !isBlank(request.searchTerm ?? '');
}

function isIndexed(text: string, textSearch: TextSearch): boolean {
  return textSearch === 'indexed' && HAS_TRIGRAM.test(text) && !text.includes(SEPARATOR);
}

function textsWith(text: string): Filter {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`; // its wildcards escaped
  return { sql: (bind) => `${SEARCH_TEXT} LIKE lower(${bind(pattern)}::text)`, expensive: true };
}

function freeText(term: string, textSearch: TextSearch): Filter {
  if (isIndexed(term, textSearch)) return textsWith(term);
  // Field by field: joining the fields takes longer than searching them. PostgreSQL expects few rows for a CASE, and nearly
  // all for an OR of six.
  const sql: Filter['sql'] = (bind) => {
    const placeholder = bind(term);
    const found = SEARCHED.map((field) => `strpos(lower(t.${field}), lower(${placeholder}::text)) > 0`);
    return `CASE WHEN ${found.join(' OR ')} THEN 1 END = 1`;
  };
  return { sql, expensive: true };
}
