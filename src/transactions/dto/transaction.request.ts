import { IntersectionType } from '@nestjs/swagger';
import { PageQuery, SortKeys, SortOrder } from '../../common/paging/page.js';
import type { Direction, SortKey } from '../../database/lists/statement.js';
import { Instant } from '../../common/validation/calendar.js';
import {
  AnyNumber,
  Bool,
  Enumeration,
  Int64,
  LongText,
  Money,
  StringMap,
  Text,
  TextList,
} from '../../common/validation/decorators.js';
import { Optional } from '../../common/validation/field.js';
import { enumOf } from '../../common/validation/schema.js';
import * as enums from '../transaction.enums.js';
import { TRANSACTION_SORT_FIELDS, type TransactionSortField } from '../transaction.entity.js';

export const TYPE = enumOf(enums.TRANSACTION_TYPES, 'TransactionType');
export const CATEGORY = enumOf(enums.CATEGORIES, 'TransactionCategory');
export const FREQUENCY = enumOf(enums.FREQUENCIES, 'Frequency');
const STATUS = enumOf(enums.STATUSES, 'TransactionStatus');
const PAYMENT_METHOD = enumOf(enums.PAYMENT_METHODS, 'PaymentMethod');

export class TransactionRequest {
  @Int64({ description: 'A property of the caller. Another owner’s is 404, like a missing one.', example: 1 })
  readonly propertyId!: string;

  @Enumeration(TYPE, { example: 'INCOME' }) readonly type!: enums.TransactionType;

  @Enumeration(CATEGORY, {
    description: 'Any category goes with any type: a refund from a cleaner is an INCOME in CLEANING.',
    example: 'BOOKING_PAYMENT',
  })
  readonly category!: enums.Category;

  @Optional() @Text(255, { example: 'Weekend' }) readonly subcategory!: string | null;
  @Text(255, { example: 'Three nights in March' }) readonly description!: string;

  @Money({
    min: '0.01',
    description:
      'Positive; `type` says which way the money goes. At most two decimals, kept digit for digit.',
    example: 436.5,
  })
  readonly amount!: string;

  @Instant({
    description:
      'RFC 3339; offsets such as `+02` and `+0200` and a decimal comma are read too. Without a zone it is UTC; ' +
      'seconds may be left out; digits beyond milliseconds are cut off.',
    example: '2026-03-14T15:00:00.000Z',
  })
  readonly date!: string;

  @Optional({ fallback: 'PENDING' })
  @Enumeration(STATUS, {
    description:
      'Any status may follow any other. PAID says that it is paid; the day, by which reports on the cash basis go, is `paidAt`.',
    example: 'PAID',
  })
  readonly status!: enums.Status;

  @Optional()
  @Enumeration(PAYMENT_METHOD, { example: 'BANK_TRANSFER' })
  readonly paymentMethod!: enums.PaymentMethod | null;

  @Optional() @Text(255, { example: 'TRF-88121' }) readonly paymentReference!: string | null;
  @Optional({ fallback: false }) @Bool({ example: false }) readonly recurring!: boolean;

  /** Null when it was left out: what that means depends on `recurring`. */
  @Optional()
  @Enumeration(FREQUENCY, {
    description: 'When left out: ONE_TIME, or null for a recurring transaction.',
    example: 'ONE_TIME',
  })
  readonly frequency!: enums.Frequency | null;

  @Optional() @Text(255, { example: 'Harbour Bookings' }) readonly vendor!: string | null;

  @Optional()
  @Text(255, { example: 'https://example.com/receipts/88121.pdf' })
  readonly receiptUrl!: string | null;

  @Optional() @LongText({ example: 'Paid on arrival.' }) readonly notes!: string | null;
  @Optional() @Instant({ example: '2026-03-14T15:00:00.000Z' }) readonly dueDate!: string | null;

  @Optional()
  @Instant({
    description:
      'The payment. On the cash basis it counts on this day, whatever the status but CANCELLED and REFUNDED; without one it counts on none.',
    example: '2026-03-14T15:05:00.000Z',
  })
  readonly paidAt!: string | null;

  @Optional() @Text(255, { example: 'HB-2026-0311' }) readonly bookingReference!: string | null;

  @Optional()
  @Int64({ description: 'The stay’s id in a booking tool.', example: 90210 })
  readonly bookingId!: string | null;

  @Optional({ fallback: [] })
  @TextList(255, {
    description: 'Kept as they are sent. Empty when left out.',
    example: ['spring', 'weekend'],
  })
  readonly tags!: string[];

  @Optional({ fallback: {} })
  @StringMap({
    description: 'Any keys of your own but `__proto__`, kept as they are sent. Empty when left out.',
    example: { channel: 'direct' },
  })
  readonly metadata!: Record<string, string>;
}

export class TransactionListQuery extends PageQuery {
  @Optional({ fallback: [{ field: 'date', direction: 'DESC' }] })
  @SortKeys(TRANSACTION_SORT_FIELDS, {
    description:
      'The order: `field`, `field,asc` or `field,desc`; repeat it for a second key. The id is always the last key. By `date`, the latest first, when left out.',
    example: ['date,desc'],
  })
  readonly sort!: SortKey<TransactionSortField>[];
}

/** An example that finds the example of a transaction: one with all filters finds nothing. */
export const SEARCH_EXAMPLE = { searchTerm: 'nights' };

const exactly = (example: unknown) => ({ description: 'Exactly this one.', example });

/** Which transactions a search finds, and their order. Every filter that is given narrows the result. */
export class TransactionFilters {
  @Optional()
  @Instant({ description: 'At or after this instant.', example: '2026-01-01T00:00:00Z' })
  readonly startDate!: string | null;

  @Optional()
  @Instant({ description: 'At or before this instant.', example: '2026-12-31T23:59:59.999Z' })
  readonly endDate!: string | null;

  @Optional()
  @AnyNumber({ description: 'At least this amount.', example: 100 })
  readonly minAmount!: string | null;

  @Optional()
  @AnyNumber({ description: 'At most this amount.', example: 500 })
  readonly maxAmount!: string | null;

  @Optional() @Enumeration(TYPE, exactly('INCOME')) readonly type!: enums.TransactionType | null;
  @Optional() @Enumeration(CATEGORY, exactly('BOOKING_PAYMENT')) readonly category!: enums.Category | null;

  @Optional()
  @Int64({ description: 'A property that is not the caller’s finds nothing.', example: 1 })
  readonly propertyId!: string | null;

  @Optional() @Enumeration(STATUS, exactly('PAID')) readonly status!: enums.Status | null;

  @Optional()
  @Enumeration(PAYMENT_METHOD, exactly('BANK_TRANSFER'))
  readonly paymentMethod!: enums.PaymentMethod | null;

  @Optional() @Bool(exactly(false)) readonly recurring!: boolean | null;
  @Optional() @Enumeration(FREQUENCY, exactly('ONE_TIME')) readonly frequency!: enums.Frequency | null;

  @Optional()
  @Text(255, { description: 'A part of the vendor’s name, in any letter case.', example: 'harbour' })
  readonly vendor!: string | null;

  @Optional() @Text(255, exactly('HB-2026-0311')) readonly bookingReference!: string | null;
  @Optional() @Text(255, exactly('TRF-88121')) readonly paymentReference!: string | null;
  @Optional() @Text(Infinity, exactly(undefined)) readonly approvalStatus!: string | null;

  @Optional()
  @Bool({
    description:
      '`true`: not paid, and either OVERDUE or past its dueDate while still PENDING or DISPUTED. `false`: all others.',
    example: false,
  })
  readonly overdue!: boolean | null;

  @Optional()
  @Text(255, {
    description:
      'A part of description, notes, vendor, subcategory, paymentReference or bookingReference, without regard to letter case. `%` and `_` stand for themselves; a blank term finds everything.',
    example: 'nights',
  })
  readonly searchTerm!: string | null;

  @Optional()
  @Enumeration(enumOf(TRANSACTION_SORT_FIELDS, 'TransactionSortField'), {
    description: 'By `date`, the latest first, when left out.',
    example: 'amount',
  })
  readonly sortBy!: TransactionSortField | null;

  @Optional()
  @SortOrder({ description: 'In any letter case; `asc` when `sortBy` is given.', example: 'desc' })
  readonly sortDirection!: Direction | null;
}

export class TransactionSearchRequest extends IntersectionType(TransactionFilters, PageQuery) {}
