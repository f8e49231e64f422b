import { ApiExtraModels, PickType } from '@nestjs/swagger';
import { Returned, ReturnedFrom } from '../http/fields/fields.js';
import { pagedEnvelope } from '../http/fields/page.js';
import { BOOLEAN, INSTANT, INT64, MONEY, referenceTo, STRING_MAP, TEXT } from '../http/fields/schema.js';
import { TransactionRequest } from './transactions.dto.js';
import type { Category, Frequency, PaymentMethod, Status, TransactionType } from './transaction.enums.js';

export class TaxDetails {
  @Returned({ ...BOOLEAN, nullable: true }) taxable!: boolean | null;
  @Returned({ ...TEXT, nullable: true }) taxCategory!: string | null;
  @Returned({ ...MONEY, nullable: true }) taxAmount!: string | null;
  @Returned({ ...BOOLEAN, nullable: true }) deductible!: boolean | null;
  @Returned({ ...TEXT, nullable: true }) deductionCategory!: string | null;
}

export class Refund {
  @Returned({ ...MONEY, nullable: true }) refundAmount!: string | null;
  @Returned({ ...INSTANT, nullable: true }) refundDate!: string | null;
  @Returned({ ...TEXT, nullable: true }) refundReason!: string | null;
  @Returned({ ...TEXT, nullable: true }) refundReference!: string | null;
}

const NOT_BY_REQUEST = 'Set by the server; no request can.';

/** Its fields, in this order, are what the database writes: see `TRANSACTION_VIEW`. */
@ApiExtraModels(TaxDetails, Refund)
export class TransactionResponse {
  @Returned({ ...INT64, example: 1 }) id!: string;
  @ReturnedFrom(TransactionRequest) propertyId!: string;

  @Returned({
    ...TEXT,
    description: 'The property’s name when this was last written: a rename does not rewrite history.',
    example: 'Harbour Loft',
  })
  propertyName!: string;

  @ReturnedFrom(TransactionRequest) bookingReference!: string | null;
  @ReturnedFrom(TransactionRequest) bookingId!: string | null;
  @ReturnedFrom(TransactionRequest) type!: TransactionType;
  @ReturnedFrom(TransactionRequest) category!: Category;
  @ReturnedFrom(TransactionRequest) subcategory!: string | null;
  @ReturnedFrom(TransactionRequest) description!: string;
  @ReturnedFrom(TransactionRequest) amount!: string;
  @ReturnedFrom(TransactionRequest) status!: Status;
  @ReturnedFrom(TransactionRequest) paymentMethod!: PaymentMethod | null;
  @ReturnedFrom(TransactionRequest) paymentReference!: string | null;
  @ReturnedFrom(TransactionRequest) recurring!: boolean;
  @ReturnedFrom(TransactionRequest) frequency!: Frequency | null;
  @ReturnedFrom(TransactionRequest) vendor!: string | null;
  @ReturnedFrom(TransactionRequest) receiptUrl!: string | null;
  @ReturnedFrom(TransactionRequest) notes!: string | null;

  @Returned({ ...referenceTo(TaxDetails), nullable: true, description: NOT_BY_REQUEST })
  taxDetails!: TaxDetails | null;

  @Returned({ ...referenceTo(Refund), nullable: true, description: NOT_BY_REQUEST }) refund!: Refund | null;
  @ReturnedFrom(TransactionRequest) tags!: string[];
  @ReturnedFrom(TransactionRequest, STRING_MAP) metadata!: Record<string, string>;
  @Returned({ ...TEXT, nullable: true, description: NOT_BY_REQUEST }) approvalStatus!: string | null;
  @Returned({ ...TEXT, nullable: true, description: NOT_BY_REQUEST }) approvedBy!: string | null;
  @Returned({ ...INSTANT, nullable: true, description: NOT_BY_REQUEST }) approvedDate!: string | null;

  @ReturnedFrom(TransactionRequest, { description: 'In UTC, to milliseconds.' }) date!: string;
  @ReturnedFrom(TransactionRequest) dueDate!: string | null;
  @ReturnedFrom(TransactionRequest) paidAt!: string | null;
  @Returned({ ...INSTANT, example: '2026-03-15T09:12:44.120Z' }) createdAt!: string;
  @Returned({ ...INSTANT, example: '2026-03-15T09:12:44.120Z' }) updatedAt!: string;
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
] as const satisfies (keyof TransactionResponse)[];

class TransactionSummary extends PickType(TransactionResponse, SUMMARY_FIELDS) {}

export const TransactionPage = pagedEnvelope(TransactionSummary, 'TransactionPage');
