import { LosslessNumber } from 'lossless-json';
import type { StoredTransaction } from '../support/search-rows.js';
import { SUMMARY_FIELDS } from '../support/contract.js';
import type { Body } from './bodies.js';
import { type JsonObject } from './difference.js';
import { numberIn } from './unknowns.js';
import type { ModelProperty, ModelTransaction } from './world.js';

/** No request sets them, and a PUT leaves them alone. */
export const SERVER_MANAGED = ['taxDetails', 'refund', 'approvalStatus', 'approvedBy', 'approvedDate'];

const NULLABLE = ['subcategory', 'paymentMethod', 'paymentReference', 'vendor', 'receiptUrl', 'notes'].concat(
  ['dueDate', 'paidAt', 'bookingReference', 'bookingId'],
);

/** TransactionResponse, with the defaults of what was left out. */
export function responseOf(
  id: unknown,
  property: ModelProperty,
  { values }: Pick<Body, 'values'>,
  managed: JsonObject,
): JsonObject {
  const recurring = values['recurring'] ?? false;
  return {
    id,
    propertyId: new LosslessNumber(String(property.id)),
    propertyName: property.body['name'], // as it is called now: later names change nothing
    type: values['type'],
    category: values['category'],
    description: values['description'],
    amount: values['amount'],
    date: values['date'],
    status: values['status'] ?? 'PENDING',
    recurring,
    frequency: values['frequency'] ?? (recurring === true ? null : 'ONE_TIME'),
    tags: values['tags'] ?? [],
    metadata: values['metadata'] ?? {},
    ...Object.fromEntries(NULLABLE.map((field) => [field, values[field] ?? null])),
    ...managed,
  };
}

/** An element of a list. */
export function summaryOf({ body }: ModelTransaction): JsonObject {
  return Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, body[field]]));
}

export function stored(ownerId: number, version: number, body: JsonObject): ModelTransaction {
  const row = rowOf(ownerId, body);
  return { id: row.id, ownerId, propertyId: row.property_id, version, body, row };
}

function rowOf(ownerId: number, body: JsonObject): StoredTransaction {
  const text = (field: string): string => body[field] as string;
  const maybe = (field: string): string | null => body[field] as string | null;
  return {
    id: numberIn(body['id']),
    owner_id: String(ownerId),
    property_id: numberIn(body['propertyId']),
    property_name: text('propertyName'),
    type: text('type'),
    category: text('category'),
    subcategory: maybe('subcategory'),
    description: text('description'),
    cents: BigInt((body['amount'] as LosslessNumber).value.replace('.', '')),
    date: text('date'),
    status: text('status'),
    payment_method: maybe('paymentMethod'),
    payment_reference: maybe('paymentReference'),
    recurring: body['recurring'] as boolean,
    frequency: maybe('frequency'),
    vendor: maybe('vendor'),
    notes: maybe('notes'),
    due_date: maybe('dueDate'),
    paid_at: maybe('paidAt'),
    booking_reference: maybe('bookingReference'),
    approval_status: maybe('approvalStatus'),
    created_at: text('createdAt'),
    updated_at: text('updatedAt'),
  };
}
