import {
  CATEGORIES,
  FREQUENCIES,
  PAYMENT_METHODS,
  STATUSES,
  TRANSACTION_TYPES,
} from '../../src/transactions/transaction.enums.js';
import type { Columns } from './columns.js';
import { HttpError } from './errors.js';

export const SUMMARY: Columns = {
  id: ['id', 'number'],
  property_id: ['propertyId', 'number'],
  property_name: ['propertyName'],
  type: ['type'],
  category: ['category'],
  subcategory: ['subcategory'],
  description: ['description'],
  amount: ['amount', 'number'],
  status: ['status'],
  payment_method: ['paymentMethod'],
  recurring: ['recurring'],
  vendor: ['vendor'],
  date: ['date'],
  due_date: ['dueDate'],
  paid_at: ['paidAt'],
};

/** The tax details, refund and approval are null in every row of the benchmark: nothing of the service sets them. */
export const TRANSACTION: Columns = {
  ...SUMMARY,
  payment_reference: ['paymentReference'],
  frequency: ['frequency'],
  receipt_url: ['receiptUrl'],
  notes: ['notes'],
  booking_reference: ['bookingReference'],
  booking_id: ['bookingId', 'number'],
  tags: ['tags'],
  metadata: ['metadata'],
  tax_taxable: ['taxDetails'],
  refund_amount: ['refund'],
  approval_status: ['approvalStatus'],
  approved_by: ['approvedBy'],
  approved_date: ['approvedDate'],
  created_at: ['createdAt'],
  updated_at: ['updatedAt'],
};

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string' && value.length <= 255;
const id: Check = (value) => Number.isSafeInteger(value);
const boolean: Check = (value) => typeof value === 'boolean';
const amount: Check = (value) =>
  typeof value === 'number' && value >= 0.01 && Number.isInteger(Math.round(value * 1e4) / 100);
const dateTime: Check = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));
const tags: Check = (value) => Array.isArray(value) && value.every(text);
const metadata: Check = (value) =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((item) => typeof item === 'string');
const oneOf =
  (allowed: readonly string[]): Check =>
  (value) =>
    allowed.includes(value as string);

/** Column that a body sets, with its type in SQL, its field and what the field may hold. */
const WRITTEN: readonly (readonly [
  column: string,
  type: string,
  field: string,
  check: Check,
  required?: true,
])[] = [
  ['type', 'text', 'type', oneOf(TRANSACTION_TYPES), true],
  ['category', 'text', 'category', oneOf(CATEGORIES), true],
  ['subcategory', 'text', 'subcategory', text],
  ['description', 'text', 'description', text, true],
  ['amount', 'numeric', 'amount', amount, true],
  ['date', 'timestamptz', 'date', dateTime, true],
  ['status', 'text', 'status', oneOf(STATUSES)],
  ['payment_method', 'text', 'paymentMethod', oneOf(PAYMENT_METHODS)],
  ['payment_reference', 'text', 'paymentReference', text],
  ['recurring', 'boolean', 'recurring', boolean],
  ['frequency', 'text', 'frequency', oneOf(FREQUENCIES)],
  ['vendor', 'text', 'vendor', text],
  ['receipt_url', 'text', 'receiptUrl', text],
  ['notes', 'text', 'notes', (value) => typeof value === 'string'],
  ['due_date', 'timestamptz', 'dueDate', dateTime],
  ['paid_at', 'timestamptz', 'paidAt', dateTime],
  ['booking_reference', 'text', 'bookingReference', text],
  ['booking_id', 'bigint', 'bookingId', id],
  ['tags', 'text[]', 'tags', tags],
  ['metadata', 'jsonb', 'metadata', metadata],
];

export const WRITTEN_COLUMNS = WRITTEN.map(([column]) => column);

/** Of {@link WRITTEN_COLUMNS}, from `$first` on. */
export function placeholders(first: number): string[] {
  return WRITTEN.map(([, type], index) => `$${first + index}::${type}`);
}

/** The values of {@link WRITTEN_COLUMNS}. Throws 400 with every field at fault. */
export function valuesOf(body: Readonly<Record<string, unknown>>): unknown[] {
  const faults = WRITTEN.filter(([, , field, check, required]) =>
    body[field] == null ? required : !check(body[field]),
  );
  if (!id(body['propertyId']) || faults.length > 0)
    throw new HttpError(400, `At fault: ${faults.map(([, , field]) => field).join(', ')}`);
  const defaults: Record<string, unknown> = {
    status: 'PENDING',
    recurring: false,
    frequency: body['recurring'] === true ? null : 'ONE_TIME',
    tags: [],
    metadata: {},
  };
  return WRITTEN.map(([, type, field]) => {
    const value = body[field] ?? defaults[field] ?? null;
    return type === 'jsonb' ? JSON.stringify(value) : value;
  });
}
