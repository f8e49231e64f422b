import type { Type } from '@nestjs/common';
import { ApiExtraModels, PickType } from '@nestjs/swagger';
import { givenIn, responseOf } from '../../common/validation/fields.js';
import { pagedEnvelope } from '../../common/paging/page.js';
import {
  BOOLEAN,
  INSTANT,
  INT64,
  MONEY,
  referenceTo,
  type Schema,
  TEXT,
} from '../../common/validation/schema.js';
import { TransactionRequest } from './transaction.request.js';

export class TaxDetails extends responseOf({
  taxable: { ...BOOLEAN, nullable: true },
  taxCategory: { ...TEXT, nullable: true },
  taxAmount: { ...MONEY, nullable: true },
  deductible: { ...BOOLEAN, nullable: true },
  deductionCategory: { ...TEXT, nullable: true },
}) {}

export class Refund extends responseOf({
  refundAmount: { ...MONEY, nullable: true },
  refundDate: { ...INSTANT, nullable: true },
  refundReason: { ...TEXT, nullable: true },
  refundReference: { ...TEXT, nullable: true },
}) {}

const byServer = (schema: Schema): Schema => ({
  ...schema,
  nullable: true,
  description: 'Set by the server; no request can.',
});

const GIVEN = givenIn(TransactionRequest);
const given = (...names: (keyof typeof GIVEN)[]): Record<string, Schema> =>
  Object.fromEntries(names.map((name) => [name, GIVEN[name]]));

/** Its fields, in this order, are what the database writes: see `TRANSACTION_VIEW`. */
@ApiExtraModels(TaxDetails, Refund)
export class TransactionResponse extends responseOf({
  id: { ...INT64, example: 1 },
  ...given('propertyId'),
  propertyName: {
    ...TEXT,
    description: 'The property’s name when this was last written: a rename does not rewrite history.',
    example: 'Harbour Loft',
  },
  ...given('bookingReference', 'bookingId', 'type', 'category', 'subcategory', 'description', 'amount'),
  ...given('status', 'paymentMethod', 'paymentReference', 'recurring', 'frequency'),
  ...given('vendor', 'receiptUrl', 'notes'),
  taxDetails: byServer(referenceTo(TaxDetails)),
  refund: byServer(referenceTo(Refund)),
  ...given('tags', 'metadata'),
  approvalStatus: byServer(TEXT),
  approvedBy: byServer(TEXT),
  approvedDate: byServer(INSTANT),
  date: { ...GIVEN.date, description: 'In UTC, to milliseconds.' },
  ...given('dueDate', 'paidAt'),
  createdAt: { ...INSTANT, example: '2026-03-15T09:12:44.120Z' },
  updatedAt: { ...INSTANT, example: '2026-03-15T09:12:44.120Z' },
}) {}

/** The fields of a transaction in lists and search results. */
export const SUMMARY_FIELDS = [
  'id',
  'propertyId',
  'propertyName',
  'type',
  'category',
  'subcategory',
  'description',
  'amount',
  'status',
  'paymentMethod',
  'recurring',
  'vendor',
  'date',
  'dueDate',
  'paidAt',
];

class TransactionSummary extends PickType(TransactionResponse as Type, SUMMARY_FIELDS) {}

export const TransactionPage = pagedEnvelope(TransactionSummary, 'TransactionPage');
