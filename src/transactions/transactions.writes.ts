import type { Statement } from '../database/database.js';
import { notFound, type ProblemError } from '../http/problem/problem.js';
import type { TransactionRequest } from './transactions.dto.js';
import { TRANSACTION_VIEW } from './transactions.queries.js';

/**
 * The writes of transactions, the service's busiest, as prepared statements: through TypeORM's query builder
 * the same ones take two to three times the CPU (see docs/adr/0003). Each is a single statement, so nothing can
 * be half-written, and each takes the property's name in the same breath as it checks whose property it is.
 */

/** Column → its type and its value in a request. Everything a client may set, and nothing else. */
const WRITTEN: Record<string, { type: string; of: (request: TransactionRequest) => unknown }> = {
  type: { type: 'text', of: (request) => request.type },
  category: { type: 'text', of: (request) => request.category },
  subcategory: { type: 'text', of: (request) => request.subcategory },
  description: { type: 'text', of: (request) => request.description },
  amount: { type: 'numeric', of: (request) => request.amount },
  date: { type: 'timestamptz', of: (request) => request.date },
  status: { type: 'text', of: (request) => request.status },
  payment_method: { type: 'text', of: (request) => request.paymentMethod },
  payment_reference: { type: 'text', of: (request) => request.paymentReference },
  recurring: { type: 'boolean', of: (request) => request.recurring },
  frequency: { type: 'text', of: (request) => request.frequency ?? (request.recurring ? null : 'ONE_TIME') },
  vendor: { type: 'text', of: (request) => request.vendor },
  receipt_url: { type: 'text', of: (request) => request.receiptUrl },
  notes: { type: 'text', of: (request) => request.notes },
  due_date: { type: 'timestamptz', of: (request) => request.dueDate },
  paid_at: { type: 'timestamptz', of: (request) => request.paidAt },
  booking_reference: { type: 'text', of: (request) => request.bookingReference },
  booking_id: { type: 'bigint', of: (request) => request.bookingId },
  tags: { type: 'text[]', of: (request) => request.tags },
  metadata: { type: 'jsonb', of: (request) => JSON.stringify(request.metadata) },
};
const COLUMNS = Object.keys(WRITTEN).join(', ');

/** Server-managed columns that a row takes along when it moves to another owner. */
const KEPT = [
  'tax_taxable',
  'tax_category',
  'tax_amount',
  'tax_deductible',
  'tax_deduction_category',
  'refund_amount',
  'refund_date',
  'refund_reason',
  'refund_reference',
  'approval_status',
  'approved_by',
  'approved_date',
  'created_at',
];

/** A write that answers with the JSON of the row that it has written, as a read would. */
function answering(write: string): string {
  return `${write} SELECT t.id, t.version, ${TRANSACTION_VIEW.json} AS json FROM written t`;
}

/** The property that is named is gone, or never was the owner's. */
const foreignKey = (): ProblemError => notFound('property');

/** Placeholders of the written columns, after `before` other parameters. */
function placeholders(before: number): string[] {
  return Object.values(WRITTEN).map(({ type }, index) => `$${before + index + 1}::${type}`);
}

/** The values of the written columns, in the order of the placeholders. */
export function writtenValues(request: TransactionRequest): unknown[] {
  return Object.values(WRITTEN).map(({ of }) => of(request));
}

/** $1 owner, $2 property, then the written values. No row: the owner has no such property. */
export const INSERT_TRANSACTION = {
  name: 'transactions.insert',
  text: answering(`WITH written AS (
           INSERT INTO transactions AS t (owner_id, property_id, property_name, ${COLUMNS})
           SELECT p.owner_id, p.id, p.name, ${placeholders(2).join(', ')} FROM properties p WHERE p.owner_id = $1 AND p.id = $2
           RETURNING t.*)`),
  foreignKey,
} satisfies Statement;

/** $1 owner, $2 id, $3 the version that was read, $4 property, then the written values. */
export const UPDATE_TRANSACTION = {
  name: 'transactions.update',
  text: answering(`WITH written AS (
           UPDATE transactions t SET property_id = p.id, property_name = p.name, ${assignments(4)},
                  version = t.version + 1, updated_at = now()
             FROM properties p
            WHERE t.owner_id = $1 AND t.id = $2 AND t.version = $3 AND p.owner_id = $1 AND p.id = $4
           RETURNING t.*)`),
  foreignKey,
} satisfies Statement;

/**
 * $1 owner, $2 id, $3 version, $4 new owner, $5 property, then the written values. The key holds the owner, so a
 * move is a deletion and an insertion, in one statement and under the same id; nothing is deleted unless there
 * is something to insert.
 */
export const MOVE_TRANSACTION = {
  name: 'transactions.move',
  text: answering(`WITH old AS (
           DELETE FROM transactions t WHERE t.owner_id = $1 AND t.id = $2 AND t.version = $3
              AND EXISTS (SELECT FROM properties p WHERE p.owner_id = $4 AND p.id = $5) RETURNING t.*),
         written AS (
         INSERT INTO transactions AS t (id, version, owner_id, property_id, property_name, ${KEPT.join(', ')}, ${COLUMNS})
         SELECT old.id, old.version + 1, p.owner_id, p.id, p.name, ${KEPT.map((column) => `old.${column}`).join(', ')},
                ${placeholders(5).join(', ')}
           FROM old, properties p WHERE p.owner_id = $4 AND p.id = $5
         RETURNING t.*)`),
  foreignKey,
} satisfies Statement;

/** $1 owner, $2 id. */
export const DELETE_TRANSACTION: Statement = {
  name: 'transactions.delete',
  text: 'DELETE FROM transactions t WHERE t.owner_id = $1 AND t.id = $2 RETURNING t.id',
};

/** $1 owner, $2 id, $3 version. */
export const DELETE_TRANSACTION_VERSION: Statement = {
  name: 'transactions.delete_version',
  text: 'DELETE FROM transactions t WHERE t.owner_id = $1 AND t.id = $2 AND t.version = $3 RETURNING t.id',
};

function assignments(before: number): string {
  const values = placeholders(before);
  return Object.keys(WRITTEN)
    .map((column, index) => `${column} = ${values[index]}`)
    .join(', ');
}
