import { Fault, Optional, Required } from '../http/fields.js';
import { DEFAULT_PAGE_SIZE, pageIndex, PageQuery, pageSize } from '../http/page.js';
import { type Direction, type SortKey, sortKeys } from '../http/sort.js';
import {
  anyNumber,
  boolean,
  dateTime,
  int64,
  listOf,
  money,
  oneOf,
  stringMap,
  text,
} from '../http/values.js';
import { TRANSACTION_SORT_FIELDS, type TransactionSortField } from './transactions.queries.js';
import {
  CATEGORIES,
  type Category,
  FREQUENCIES,
  type Frequency,
  PAYMENT_METHODS,
  type PaymentMethod,
  type Status,
  STATUSES,
  TRANSACTION_TYPES,
  type TransactionType,
} from './vocabulary.js';

export class TransactionRequest {
  @Required(int64)
  propertyId!: string;

  @Required(oneOf(TRANSACTION_TYPES))
  type!: TransactionType;

  @Required(oneOf(CATEGORIES))
  category!: Category;

  @Optional(text(255))
  subcategory!: string | null;

  @Required(text(255))
  description!: string;

  @Required(money('0.01'))
  amount!: string;

  @Required(dateTime)
  date!: string;

  @Optional(oneOf(STATUSES), 'PENDING')
  status!: Status;

  @Optional(oneOf(PAYMENT_METHODS))
  paymentMethod!: PaymentMethod | null;

  @Optional(text(255))
  paymentReference!: string | null;

  @Optional(boolean, false)
  recurring!: boolean;

  /** Null when it was left out: what that means depends on `recurring`. */
  @Optional(oneOf(FREQUENCIES))
  frequency!: Frequency | null;

  @Optional(text(255))
  vendor!: string | null;

  @Optional(text(255))
  receiptUrl!: string | null;

  @Optional(text())
  notes!: string | null;

  @Optional(dateTime)
  dueDate!: string | null;

  @Optional(dateTime)
  paidAt!: string | null;

  @Optional(text(255))
  bookingReference!: string | null;

  @Optional(int64)
  bookingId!: string | null;

  @Optional(listOf(text(255)), [])
  tags!: string[];

  @Optional(stringMap, {})
  metadata!: Record<string, string>;
}

export class TransactionListQuery extends PageQuery {
  @Optional(sortKeys(TRANSACTION_SORT_FIELDS), [{ field: 'date', direction: 'DESC' }])
  sort!: SortKey<TransactionSortField>[];
}

/** Every filter that is given narrows the result. */
export class TransactionSearchRequest {
  @Optional(dateTime)
  startDate!: string | null;

  @Optional(dateTime)
  endDate!: string | null;

  @Optional(anyNumber)
  minAmount!: string | null;

  @Optional(anyNumber)
  maxAmount!: string | null;

  @Optional(oneOf(TRANSACTION_TYPES))
  type!: TransactionType | null;

  @Optional(oneOf(CATEGORIES))
  category!: Category | null;

  @Optional(int64)
  propertyId!: string | null;

  @Optional(oneOf(STATUSES))
  status!: Status | null;

  @Optional(oneOf(PAYMENT_METHODS))
  paymentMethod!: PaymentMethod | null;

  @Optional(boolean)
  recurring!: boolean | null;

  @Optional(oneOf(FREQUENCIES))
  frequency!: Frequency | null;

  @Optional(text())
  vendor!: string | null;

  @Optional(text())
  approvalStatus!: string | null;

  @Optional(boolean)
  overdue!: boolean | null;

  @Optional(text())
  searchTerm!: string | null;

  @Optional(pageIndex, 0)
  page!: number;

  @Optional(pageSize, DEFAULT_PAGE_SIZE)
  size!: number;

  @Optional(oneOf(TRANSACTION_SORT_FIELDS))
  sortBy!: TransactionSortField | null;

  @Optional(sortDirection)
  sortDirection!: Direction | null;
}

function sortDirection(wire: unknown): Direction | Fault {
  const upper = typeof wire === 'string' ? wire.toUpperCase() : '';
  return upper === 'ASC' || upper === 'DESC' ? upper : Fault.of('must be asc or desc');
}
