import { dateTime } from '../../common/validation/calendar.js';
import { optional, required, requestOf } from '../../common/validation/fields.js';
import { CURSOR, PAGE, PAGE_OR_CURSOR } from '../../common/paging/page.js';
import { sortDirection, sortKeys } from '../../common/paging/sort.js';
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
} from '../../common/validation/values.js';
import { TRANSACTION_SORT_FIELDS } from '../transactions.sort.js';
import * as enums from '../transaction.enums.js';

export const TYPE = oneOf(enums.TRANSACTION_TYPES, 'TransactionType');
export const CATEGORY = oneOf(enums.CATEGORIES, 'TransactionCategory');
export const FREQUENCY = oneOf(enums.FREQUENCIES, 'Frequency');
const STATUS = oneOf(enums.STATUSES, 'TransactionStatus');
const PAYMENT_METHOD = oneOf(enums.PAYMENT_METHODS, 'PaymentMethod');

export class TransactionRequest extends requestOf({
  propertyId: required(int64, {
    description: 'A property of the caller. Another owner’s is 404, as if it did not exist.',
    example: 1,
  }),
  type: required(TYPE, { example: 'INCOME' }),
  category: required(CATEGORY, {
    description: 'Any category goes with any type: a refund from a cleaner is an INCOME in CLEANING.',
    example: 'BOOKING_PAYMENT',
  }),
  subcategory: optional(text(255), { example: 'Weekend' }),
  description: required(text(255), { example: 'Three nights in March' }),
  amount: required(money('0.01'), {
    description:
      'Always positive; `type` says which way the money goes. At most two decimals, kept digit for digit.',
    example: 436.5,
  }),
  date: required(dateTime, {
    description:
      'RFC 3339; offsets such as `+02` and `+0200` and a decimal comma are read too. Without a zone it is UTC; ' +
      'seconds may be left out; digits beyond milliseconds are cut off.',
    example: '2026-03-14T15:00:00.000Z',
  }),
  status: optional(STATUS, {
    fallback: 'PENDING',
    description:
      'Any status may follow any other. PAID says that it is paid; the day, by which reports on the cash basis go, is `paidAt`.',
    example: 'PAID',
  }),
  paymentMethod: optional(PAYMENT_METHOD, { example: 'BANK_TRANSFER' }),
  paymentReference: optional(text(255), { example: 'TRF-88121' }),
  recurring: optional(boolean, { fallback: false, example: false }),
  /** Null when it was left out: what that means depends on `recurring`. */
  frequency: optional(FREQUENCY, {
    description: 'When left out: ONE_TIME, or null for a recurring transaction.',
    example: 'ONE_TIME',
  }),
  vendor: optional(text(255), { example: 'Harbour Bookings' }),
  receiptUrl: optional(text(255), { example: 'https://example.com/receipts/88121.pdf' }),
  notes: optional(longText, { example: 'Paid on arrival.' }),
  dueDate: optional(dateTime, { example: '2026-03-14T15:00:00.000Z' }),
  paidAt: optional(dateTime, {
    description:
      'The payment. On the cash basis it counts on this day, whatever the status but CANCELLED and REFUNDED; without one it counts on none.',
    example: '2026-03-14T15:05:00.000Z',
  }),
  bookingReference: optional(text(255), { example: 'HB-2026-0311' }),
  bookingId: optional(int64, { description: 'The stay’s id in a booking tool.', example: 90210 }),
  tags: optional(listOf(text(255)), {
    fallback: [],
    description: 'Order and repetitions are kept. Empty when left out.',
    example: ['spring', 'weekend'],
  }),
  metadata: optional(stringMap, {
    fallback: {},
    description:
      'Any keys of your own but `__proto__`; they come back as they were sent. Empty when left out.',
    example: { channel: 'direct' },
  }),
}) {}

export class TransactionListQuery extends requestOf({
  ...PAGE_OR_CURSOR,
  sort: optional(sortKeys(TRANSACTION_SORT_FIELDS), {
    fallback: [{ field: 'date', direction: 'DESC' }],
    description:
      'The order: `field`, `field,asc` or `field,desc`; repeat it for a second key. The id is always the last key. By `date`, the latest first, when left out.',
    example: ['date,desc'],
  }),
}) {}

/** An example that finds the example of a transaction: one with all filters finds nothing. */
export const SEARCH_EXAMPLE = { searchTerm: 'nights' };

/** Every filter that is given narrows the result. */
export class TransactionSearchRequest extends requestOf({
  startDate: optional(dateTime, {
    description: 'At or after this instant.',
    example: '2026-01-01T00:00:00Z',
  }),
  endDate: optional(dateTime, {
    description: 'At or before this instant.',
    example: '2026-12-31T23:59:59.999Z',
  }),
  minAmount: optional(anyNumber, { description: 'At least this amount.', example: 100 }),
  maxAmount: optional(anyNumber, { description: 'At most this amount.', example: 500 }),
  type: optional(TYPE, { example: 'INCOME' }),
  category: optional(CATEGORY, { example: 'BOOKING_PAYMENT' }),
  propertyId: optional(int64, {
    description: 'A property that is not the caller’s finds nothing.',
    example: 1,
  }),
  status: optional(STATUS, { example: 'PAID' }),
  paymentMethod: optional(PAYMENT_METHOD, { example: 'BANK_TRANSFER' }),
  recurring: optional(boolean, { example: false }),
  frequency: optional(FREQUENCY, { example: 'ONE_TIME' }),
  vendor: optional(text(255), {
    description: 'A part of the vendor’s name, without regard to letter case.',
    example: 'harbour',
  }),
  approvalStatus: optional(text(), { description: 'Exactly this text.' }),
  overdue: optional(boolean, {
    description:
      '`true`: not paid, and either OVERDUE or past its dueDate while still PENDING or DISPUTED. `false`: all others.',
    example: false,
  }),
  searchTerm: optional(text(255), {
    description:
      'A part of description, notes, vendor, subcategory, paymentReference or bookingReference, without regard to letter case. `%` and `_` stand for themselves; a blank term finds everything.',
    example: 'nights',
  }),
  ...PAGE,
  sortBy: optional(oneOf(TRANSACTION_SORT_FIELDS), {
    description: 'By `date`, the latest first, when left out.',
    example: 'amount',
  }),
  sortDirection: optional(sortDirection, {
    description: 'In any letter case; `asc` when `sortBy` is given.',
    example: 'desc',
  }),
  cursor: CURSOR,
}) {}
