import {
  CATEGORIES,
  FREQUENCIES,
  PAYMENT_METHODS,
  STATUSES,
  TRANSACTION_TYPES,
} from '../../src/transactions/transaction.enums.js';
import { columnOf } from './columns.js';
import { HttpError } from './errors.js';

const words = (text: string): string[] => text.trim().split(/\s+/);

export const SUMMARY = words(`
  id propertyId propertyName type category subcategory description amount status paymentMethod recurring vendor date
  dueDate paidAt`);

export const TRANSACTION = words(`${SUMMARY.join(' ')}
  paymentReference frequency receiptUrl notes bookingReference bookingId tags metadata taxDetails refund approvalStatus
  approvedBy approvedDate createdAt updatedAt`);

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

/** Field that a body sets, its type in SQL, and its check. */
const WRITTEN: readonly (readonly [field: string, type: string, check: Check, required?: true])[] = [
  ['type', 'text', oneOf(TRANSACTION_TYPES), true],
  ['category', 'text', oneOf(CATEGORIES), true],
  ['subcategory', 'text', text],
  ['description', 'text', text, true],
  ['amount', 'numeric', amount, true],
  ['date', 'timestamptz', dateTime, true],
  ['status', 'text', oneOf(STATUSES)],
  ['paymentMethod', 'text', oneOf(PAYMENT_METHODS)],
  ['paymentReference', 'text', text],
  ['recurring', 'boolean', boolean],
  ['frequency', 'text', oneOf(FREQUENCIES)],
  ['vendor', 'text', text],
  ['receiptUrl', 'text', text],
  ['notes', 'text', (value) => typeof value === 'string'],
  ['dueDate', 'timestamptz', dateTime],
  ['paidAt', 'timestamptz', dateTime],
  ['bookingReference', 'text', text],
  ['bookingId', 'bigint', id],
  ['tags', 'text[]', tags],
  ['metadata', 'jsonb', metadata],
];

export const WRITTEN_COLUMNS = WRITTEN.map(([field]) => columnOf(field));

/** Of {@link WRITTEN_COLUMNS}, from `$first` on. */
export function placeholders(first: number): string[] {
  return WRITTEN.map(([, type], index) => `$${first + index}::${type}`);
}

/** The values of {@link WRITTEN_COLUMNS}. Throws 400 with every field at fault. */
export function valuesOf(body: Readonly<Record<string, unknown>>): unknown[] {
  const faults = WRITTEN.filter(([field, , check, required]) =>
    body[field] == null ? required : !check(body[field]),
  );
  if (!id(body['propertyId']) || faults.length > 0)
    throw new HttpError(400, `At fault: ${faults.map(([field]) => field).join(', ')}`);
  const defaults: Record<string, unknown> = {
    status: 'PENDING',
    recurring: false,
    frequency: body['recurring'] === true ? null : 'ONE_TIME',
    tags: [],
    metadata: {},
  };
  return WRITTEN.map(([field, type]) => {
    const value = body[field] ?? defaults[field] ?? null;
    return type === 'jsonb' ? JSON.stringify(value) : value;
  });
}
