import {
  CATEGORIES,
  FREQUENCIES,
  PAYMENT_METHODS,
  STATUSES,
  TRANSACTION_TYPES,
} from '../../src/transactions/transaction.enums.js';
import { HttpError } from './http.js';

type Body = Readonly<Record<string, unknown>>;
/** What is wrong with a value that is there, or undefined. */
type Check = (value: unknown) => string | undefined;

const text =
  (max: number): Check =>
  (value) =>
    typeof value === 'string' && value.length <= max
      ? undefined
      : `must be a string of at most ${max} characters`;
const oneOf =
  (allowed: readonly string[]): Check =>
  (value) =>
    allowed.includes(value as string) ? undefined : `must be one of ${allowed.join(', ')}`;
const id: Check = (value) => (Number.isSafeInteger(value) ? undefined : 'must be a whole number');
const boolean: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const dateTime: Check = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value))
    ? undefined
    : 'must be a date and time';
const amount: Check = (value) =>
  typeof value === 'number' && value >= 0.01 && Number.isInteger(Math.round(value * 1e4) / 100)
    ? undefined
    : 'must be at least 0.01 and have at most 2 decimals';
const tags: Check = (value) =>
  Array.isArray(value) && value.every((tag) => text(255)(tag) === undefined)
    ? undefined
    : 'must be a list of strings';
const metadata: Check = (value) =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((item) => typeof item === 'string')
    ? undefined
    : 'must be an object of strings';

const REQUIRED: Readonly<Record<string, Check>> = {
  propertyId: id,
  type: oneOf(TRANSACTION_TYPES),
  category: oneOf(CATEGORIES),
  description: text(255),
  amount,
  date: dateTime,
};

const OPTIONAL: Readonly<Record<string, Check>> = {
  subcategory: text(255),
  status: oneOf(STATUSES),
  paymentMethod: oneOf(PAYMENT_METHODS),
  paymentReference: text(255),
  recurring: boolean,
  frequency: oneOf(FREQUENCIES),
  vendor: text(255),
  receiptUrl: text(255),
  notes: text(Infinity),
  dueDate: dateTime,
  paidAt: dateTime,
  bookingReference: text(255),
  bookingId: id,
  tags,
  metadata,
};

/** The columns that a body sets, in the order of {@link valuesOf}. */
export const WRITTEN_COLUMNS = [
  'type',
  'category',
  'subcategory',
  'description',
  'amount',
  'date',
  'status',
  'payment_method',
  'payment_reference',
  'recurring',
  'frequency',
  'vendor',
  'receipt_url',
  'notes',
  'due_date',
  'paid_at',
  'booking_reference',
  'booking_id',
  'tags',
  'metadata',
];

/** Throws 400 with every fault. */
export function checkBody(body: Body): void {
  const errors: Record<string, string> = {};
  for (const [field, check] of Object.entries(REQUIRED)) {
    const value = body[field];
    const fault = value === undefined || value === null ? 'is required' : check(value);
    if (fault !== undefined) errors[field] = fault;
  }
  for (const [field, check] of Object.entries(OPTIONAL)) {
    const value = body[field];
    const fault = value === undefined || value === null ? undefined : check(value);
    if (fault !== undefined) errors[field] = fault;
  }
  if (Object.keys(errors).length > 0) throw new HttpError(400, 'The request has invalid fields.', errors);
}

/** The values of {@link WRITTEN_COLUMNS}, from a body that has been checked. */
export function valuesOf(body: Body): unknown[] {
  const recurring = body['recurring'] ?? false;
  return [
    body['type'],
    body['category'],
    body['subcategory'],
    body['description'],
    body['amount'],
    body['date'],
    body['status'] ?? 'PENDING',
    body['paymentMethod'],
    body['paymentReference'],
    recurring,
    body['frequency'] ?? (recurring === true ? null : 'ONE_TIME'),
    body['vendor'],
    body['receiptUrl'],
    body['notes'],
    body['dueDate'],
    body['paidAt'],
    body['bookingReference'],
    body['bookingId'],
    body['tags'] ?? [],
    JSON.stringify(body['metadata'] ?? {}),
  ];
}
