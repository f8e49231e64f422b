import { isLosslessNumber, type LosslessNumber } from 'lossless-json';
import type { StoredTransaction } from '../support/search-rows.js';
import { SUMMARY_FIELDS, TRANSACTION_FIELDS } from '../support/contract.js';
import type { Body } from './bodies.js';
import { type JsonObject } from './difference.js';
import { whole } from './unknowns.js';
import type { ModelProperty, ModelTransaction } from './world.js';

/** No request sets them, and a PUT leaves them alone. */
export const SERVER_MANAGED = ['taxDetails', 'refund', 'approvalStatus', 'approvedBy', 'approvedDate'];

/** TransactionResponse, with the defaults of what was left out. */
export function responseOf(
  id: unknown,
  property: ModelProperty,
  { values }: Pick<Body, 'values'>,
  managed: JsonObject,
): JsonObject {
  const recurring = values['recurring'] ?? false;
  const fields = TRANSACTION_FIELDS.map((field) => [field, values[field] ?? null] as const);
  return {
    ...Object.fromEntries(fields),
    id,
    propertyId: whole(property.id),
    propertyName: property.body['name'], // as it is called now: later names change nothing
    status: values['status'] ?? 'PENDING',
    recurring,
    frequency: values['frequency'] ?? (recurring === true ? null : 'ONE_TIME'),
    tags: values['tags'] ?? [],
    metadata: values['metadata'] ?? {},
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

/** Its columns are called as the fields, in snake case. */
function rowOf(ownerId: number, body: JsonObject): StoredTransaction {
  const columns = Object.entries(body).map(([field, value]) => [
    field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    isLosslessNumber(value) ? Number(value.value) : value,
  ]);
  const cents = BigInt((body['amount'] as LosslessNumber).value.replace('.', ''));
  return { ...Object.fromEntries(columns), owner_id: String(ownerId), cents } as StoredTransaction;
}
