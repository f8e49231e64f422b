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

/** SQL over the alias `t`; `bind` takes a value and returns its placeholder. */
type Condition = (bind: (value: unknown) => string) => string;

interface TextFilter {
  readonly sql: Condition;
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
  const texts = textFilters(request, textSearch);
  const others = entryFilters(request);
  const given = others.filter(([, isGiven]) => isGiven);
  if (given.length + texts.length === 0) return list;
  // The best plan for texts, and for amounts alone, depends on how rare they are. All other filters share one statement, whose
  // period may be open at both ends: the index of the default order serves it, in less time than planning takes.
  const isShared = texts.length === 0 && given.some(([name]) => name !== AMOUNTS);
  const filters = others.filter(([name, isGiven]) => isGiven || (isShared && SHARED.includes(name)));
  const isPrepared = isShared && list.ofOneOwner === true && field === 'date' && direction === 'DESC';
  const values = [...list.values];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = filters.map(([name, , sql]) =>
    isPrepared && name === AMOUNTS ? `(${sql(bind)}) IS TRUE` : sql(bind),
  );
  const where = [list.where, ...conditions, ...texts.map(({ sql }) => sql(bind))].join(' AND ');
  const expensive = texts.some((filter) => filter.expensive === true);
  const { table, view, order, ofOneOwner, total } = list;
  // Members are named: V8 takes 5 µs to add some to a copy of the list.
  return {
    table,
    view,
    order,
    ofOneOwner,
    total,
    name: isPrepared ? `transactions.by.${filters.map(([name]) => name).join('.')}` : undefined,
    isLong: !isPrepared,
    where,
    counted: `(SELECT count(*) FROM ${expensive ? 'found' : `transactions t WHERE ${where}`})`,
    expensive,
    values,
  };
}

/** Part of the shared statement, whether or not they are given. */
const SHARED = ['period', 'facets'];

/** Filters by what the index of the default order has. */
function entryFilters(request: TransactionFilters): [name: string, isGiven: boolean, sql: Condition][] {
  const { startDate, endDate, minAmount, maxAmount, propertyId, overdue } = request;
  const [start, end] = [startDate ?? '-infinity', endDate ?? 'infinity'];
  const [least, most] = [minAmount ?? '-Infinity', maxAmount ?? 'Infinity'];
  const { mask, bits } = facetsOf(request);
  const inPeriod: Condition = (bind) =>
    `t.date BETWEEN ${bind(start)}::timestamptz AND ${bind(end)}::timestamptz`;
  const between: Condition = (bind) => `t.amount BETWEEN ${bind(least)}::numeric AND ${bind(most)}::numeric`;
  return [
    ['period', startDate !== null || endDate !== null, inPeriod],
    ['facets', mask !== 0, (bind) => `t.facets & ${bind(mask)}::integer = ${bind(bits)}::integer`],
    [AMOUNTS, minAmount !== null || maxAmount !== null, between],
    ['property', propertyId !== null, (bind) => `t.property_id = ${bind(propertyId)}::bigint`],
    ['overdue', overdue === true, () => OVERDUE],
    ['in-time', overdue === false, () => `NOT (${OVERDUE})`],
  ];
}

/** SQL of the fields that are found by their text: a part of the vendor, or a reference as it is. */
const BY_TEXT = {
  vendor: (text: string) => `strpos(lower(t.vendor), lower(${text})) > 0`,
  bookingReference: (text: string) => `t.booking_reference = ${text}`,
  paymentReference: (text: string) => `t.payment_reference = ${text}`,
};
const TEXT_FIELDS = Object.keys(BY_TEXT) as (keyof typeof BY_TEXT)[];

function textFilters(request: TransactionFilters, textSearch: TextSearch): TextFilter[] {
  const { approvalStatus, searchTerm } = request;
  const filters: TextFilter[] = [];
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

function textsWith(text: string): TextFilter {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`; // its wildcards escaped
  return { sql: (bind) => `${SEARCH_TEXT} LIKE lower(${bind(pattern)}::text)`, expensive: true };
}

function freeText(term: string, textSearch: TextSearch): TextFilter {
  if (isIndexed(term, textSearch)) return textsWith(term);
  // Field by field: joining the fields takes longer than searching them. PostgreSQL expects few rows for a CASE, and nearly
  // all for an OR of six.
  const sql: Condition = (bind) => {
    const placeholder = bind(term);
    const found = SEARCHED.map((field) => `strpos(lower(t.${field}), lower(${placeholder}::text)) > 0`);
    return `CASE WHEN ${found.join(' OR ')} THEN 1 END = 1`;
  };
  return { sql, expensive: true };
}
