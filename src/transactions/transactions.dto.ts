import { dateTime } from '../http/fields/calendar.js';
import { OptionalField, RequiredField } from '../http/fields/fields.js';
import {
  ABOUT_CURSOR,
  ABOUT_PAGE,
  ABOUT_SIZE,
  cursor,
  pageIndex,
  PageQuery,
  pageSize,
} from '../http/fields/page.js';
import { type Direction, sortDirection, type SortKey, sortKeys } from '../http/fields/sort.js';
import {
  anyNumber,
  boolean,
  int64,
  listOf,
  longText,
  money,
  oneOf,
  stringMap,
  text,
} from '../http/fields/values.js';
import { TRANSACTION_SORT_FIELDS, type TransactionSortField } from './transactions.sort.js';
import * as enums from './transaction.enums.js';

export const TYPE = oneOf(enums.TRANSACTION_TYPES, 'TransactionType');
export const CATEGORY = oneOf(enums.CATEGORIES, 'TransactionCategory');
export const FREQUENCY = oneOf(enums.FREQUENCIES, 'Frequency');
const STATUS = oneOf(enums.STATUSES, 'TransactionStatus');
const PAYMENT_METHOD = oneOf(enums.PAYMENT_METHODS, 'PaymentMethod');

export class TransactionRequest {
  @RequiredField(int64, {
    description: 'A property of the caller. Another owner’s is 404, as if it did not exist.',
    example: 1,
  })
  propertyId!: string;

  @RequiredField(TYPE, { example: 'INCOME' }) type!: enums.TransactionType;

  @RequiredField(CATEGORY, {
    description: 'Any category goes with any type: a refund from a cleaner is an INCOME in CLEANING.',
    example: 'BOOKING_PAYMENT',
  })
  category!: enums.Category;

  @OptionalField(text(255), { example: 'Weekend' }) subcategory!: string | null;
  @RequiredField(text(255), { example: 'Three nights in March' }) description!: string;

  @RequiredField(money('0.01'), {
    description:
      'Always positive; `type` says which way the money goes. At most two decimals, kept digit for digit.',
    example: 436.5,
  })
  amount!: string;

  @RequiredField(dateTime, {
    description:
      'RFC 3339; offsets such as `+02` and `+0200` and a decimal comma are read too. Without a zone it is UTC; ' +
      'seconds may be left out; digits beyond milliseconds are cut off.',
    example: '2026-03-14T15:00:00.000Z',
  })
  date!: string;

  @OptionalField(STATUS, {
    fallback: 'PENDING',
    description: 'Any status may follow any other.',
    example: 'PAID',
  })
  status!: enums.Status;

  @OptionalField(PAYMENT_METHOD, { example: 'BANK_TRANSFER' }) paymentMethod!: enums.PaymentMethod | null;
  @OptionalField(text(255), { example: 'TRF-88121' }) paymentReference!: string | null;
  @OptionalField(boolean, { fallback: false, example: false }) recurring!: boolean;

  /** Null when it was left out: what that means depends on `recurring`. */
  @OptionalField(FREQUENCY, {
    description: 'When left out: ONE_TIME, or null for a recurring transaction.',
    example: 'ONE_TIME',
  })
  frequency!: enums.Frequency | null;

  @OptionalField(text(255), { example: 'Harbour Bookings' }) vendor!: string | null;
  @OptionalField(text(255), { example: 'https://example.com/receipts/88121.pdf' }) receiptUrl!: string | null;
  @OptionalField(longText, { example: 'Paid on arrival.' }) notes!: string | null;
  @OptionalField(dateTime, { example: '2026-03-14T15:00:00.000Z' }) dueDate!: string | null;
  @OptionalField(dateTime, { example: '2026-03-14T15:05:00.000Z' }) paidAt!: string | null;
  @OptionalField(text(255), { example: 'HB-2026-0311' }) bookingReference!: string | null;

  @OptionalField(int64, { description: 'The stay’s id in a booking tool.', example: 90210 })
  bookingId!: string | null;

  @OptionalField(listOf(text(255)), {
    fallback: [],
    description: 'Order and repetitions are kept. Empty when left out.',
    example: ['spring', 'weekend'],
  })
  tags!: string[];

  @OptionalField(stringMap, {
    fallback: {},
    description:
      'Any keys of your own but `__proto__`; they come back as they were sent. Empty when left out.',
    example: { channel: 'direct' },
  })
  metadata!: Record<string, string>;
}

export class TransactionListQuery extends PageQuery {
  @OptionalField(sortKeys(TRANSACTION_SORT_FIELDS), {
    fallback: [{ field: 'date', direction: 'DESC' }],
    description:
      'The order: `field`, `field,asc` or `field,desc`; repeat it for a second key. The id is always the last key. By `date`, the latest first, when left out.',
    example: ['date,desc'],
  })
  sort!: SortKey<TransactionSortField>[];
}

/** An example that finds the example of a transaction: one with all filters finds nothing. */
export const SEARCH_EXAMPLE = { searchTerm: 'nights' };

/** Every filter that is given narrows the result. */
export class TransactionSearchRequest {
  @OptionalField(dateTime, { description: 'At or after this instant.', example: '2026-01-01T00:00:00Z' })
  startDate!: string | null;

  @OptionalField(dateTime, { description: 'At or before this instant.', example: '2026-12-31T23:59:59.999Z' })
  endDate!: string | null;

  @OptionalField(anyNumber, { description: 'At least this amount.', example: 100 }) minAmount!: string | null;
  @OptionalField(anyNumber, { description: 'At most this amount.', example: 500 }) maxAmount!: string | null;
  @OptionalField(TYPE, { example: 'INCOME' }) type!: enums.TransactionType | null;
  @OptionalField(CATEGORY, { example: 'BOOKING_PAYMENT' }) category!: enums.Category | null;

  @OptionalField(int64, { description: 'A property that is not the caller’s finds nothing.', example: 1 })
  propertyId!: string | null;

  @OptionalField(STATUS, { example: 'PAID' }) status!: enums.Status | null;
  @OptionalField(PAYMENT_METHOD, { example: 'BANK_TRANSFER' }) paymentMethod!: enums.PaymentMethod | null;
  @OptionalField(boolean, { example: false }) recurring!: boolean | null;
  @OptionalField(FREQUENCY, { example: 'ONE_TIME' }) frequency!: enums.Frequency | null;

  @OptionalField(text(255), {
    description: 'A part of the vendor’s name, without regard to letter case.',
    example: 'harbour',
  })
  vendor!: string | null;

  @OptionalField(text(), { description: 'Exactly this text.' }) approvalStatus!: string | null;

  @OptionalField(boolean, {
    description:
      '`true`: not paid, and either OVERDUE or past its dueDate while still PENDING or DISPUTED. `false`: all others.',
    example: false,
  })
  overdue!: boolean | null;

  @OptionalField(text(255), {
    description:
      'A part of description, notes, vendor, subcategory, paymentReference or bookingReference, without regard to letter case. `%` and `_` stand for themselves; a blank term finds everything.',
    example: 'nights',
  })
  searchTerm!: string | null;

  @OptionalField(pageIndex, ABOUT_PAGE) page!: number | null;
  @OptionalField(pageSize, ABOUT_SIZE) size!: number;

  @OptionalField(oneOf(TRANSACTION_SORT_FIELDS), {
    description: 'By `date`, the latest first, when left out.',
    example: 'amount',
  })
  sortBy!: TransactionSortField | null;

  @OptionalField(sortDirection, {
    description: 'In any letter case; `asc` when `sortBy` is given.',
    example: 'desc',
  })
  sortDirection!: Direction | null;

  @OptionalField(cursor, ABOUT_CURSOR) cursor!: string | null;
}
