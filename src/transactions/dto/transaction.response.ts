import { IntersectionType, OmitType, PickType } from '@nestjs/swagger';
import { changesOf } from '../../common/paging/changes.js';
import { pagedEnvelope } from '../../common/paging/page.js';
import { Shown } from '../../common/validation/field.js';
import { Given, responseOf, schemaOf } from '../../common/validation/fields.js';
import { BOOLEAN, INSTANT, INT64, MONEY, TEXT } from '../../common/validation/schema.js';
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

const byServer = (schema: object): PropertyDecorator =>
  Shown({ ...schema, nullable: true, description: 'Set by the server; no request can.' });

class ByServer {
  @Shown({ ...INT64, example: 1 }) readonly id!: string;

  @Shown({
    ...TEXT,
    description: 'The property’s name when this was last written: a rename does not rewrite history.',
    example: 'Harbour Loft',
  })
  readonly propertyName!: string;

  @byServer({ type: TaxDetails }) readonly taxDetails!: TaxDetails | null;
  @byServer({ type: Refund }) readonly refund!: Refund | null;
  @byServer(TEXT) readonly approvalStatus!: string | null;
  @byServer(TEXT) readonly approvedBy!: string | null;
  @byServer(INSTANT) readonly approvedDate!: string | null;
  @Shown({ ...INSTANT, example: '2026-03-15T09:12:44.120Z' }) readonly createdAt!: string;
  @Shown({ ...INSTANT, example: '2026-03-15T09:12:44.120Z' }) readonly updatedAt!: string;
}

const Request = Given(TransactionRequest);
/** Fields of the request that have a place of their own; all others stand together. */
const APART = ['bookingReference', 'bookingId', 'tags', 'metadata', 'date', 'dueDate', 'paidAt'] as const;

/** The database writes its fields, in this order. */
export class TransactionResponse extends IntersectionType(
  PickType(ByServer, ['id']),
  PickType(Request, ['propertyId']),
  PickType(ByServer, ['propertyName']),
  PickType(Request, ['bookingReference', 'bookingId']),
  OmitType(Request, APART),
  PickType(ByServer, ['taxDetails', 'refund']),
  PickType(Request, ['tags', 'metadata']),
  PickType(ByServer, ['approvalStatus', 'approvedBy', 'approvedDate']),
  PickType(Request, ['date', 'dueDate', 'paidAt']),
  PickType(ByServer, ['createdAt', 'updatedAt']),
) {
  @Shown({ ...schemaOf(Request, 'date'), description: 'In UTC, to milliseconds.' })
  override readonly date!: string;
}

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
] as const satisfies readonly (keyof TransactionResponse)[];

class TransactionSummary extends PickType(TransactionResponse, SUMMARY_FIELDS) {}

export const TransactionPage = pagedEnvelope(TransactionSummary, 'TransactionPage');
export const TransactionChanges = changesOf(TransactionResponse, 'Transaction');
