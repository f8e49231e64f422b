import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn, VersionColumn } from 'typeorm';
import * as enums from './transaction.enums.js';

const MONEY = { type: 'numeric', precision: 19, scale: 2 } as const;
const INSTANT = { type: 'timestamptz', precision: 3 } as const;

/** Of `taxDetails`; no request writes them. */
class TaxDetailsColumns {
  @Column('boolean', { name: 'tax_taxable', nullable: true }) taxable!: boolean | null;
  @Column('text', { name: 'tax_category', nullable: true }) taxCategory!: string | null;
  @Column({ ...MONEY, name: 'tax_amount', nullable: true }) taxAmount!: string | null;
  @Column('boolean', { name: 'tax_deductible', nullable: true }) deductible!: boolean | null;
  @Column('text', { name: 'tax_deduction_category', nullable: true }) deductionCategory!: string | null;
}

/** Of `refund`; no request writes them. */
class RefundColumns {
  @Column({ ...MONEY, name: 'refund_amount', nullable: true }) refundAmount!: string | null;
  @Column({ ...INSTANT, name: 'refund_date', nullable: true }) refundDate!: Date | null;
  @Column('text', { name: 'refund_reason', nullable: true }) refundReason!: string | null;
  @Column('text', { name: 'refund_reference', nullable: true }) refundReference!: string | null;
}

/** A transaction belongs to the owner of its property; the foreign key holds the two together. */
@Entity('transactions')
export class Transaction {
  @PrimaryColumn('bigint', { name: 'owner_id' }) ownerId!: string;
  @PrimaryColumn('bigint', { default: () => `nextval('transactions_id_seq')` }) id!: string;
  @Column('bigint', { name: 'property_id' }) propertyId!: string;

  /** The property's name when this was last written: a rename does not rewrite history. */
  @Column('text', { name: 'property_name' }) propertyName!: string;
  @Column({ type: 'text', enum: enums.TRANSACTION_TYPES }) type!: enums.TransactionType;
  @Column({ type: 'text', enum: enums.CATEGORIES }) category!: enums.Category;
  @Column('text', { nullable: true }) subcategory!: string | null;
  @Column('text') description!: string;
  @Column(MONEY) amount!: string;
  @Column(INSTANT) date!: Date;
  @Column({ type: 'text', enum: enums.STATUSES }) status!: enums.Status;
  @Column({ type: 'text', name: 'payment_method', nullable: true, enum: enums.PAYMENT_METHODS })
  paymentMethod!: enums.PaymentMethod | null;
  @Column('text', { name: 'payment_reference', nullable: true }) paymentReference!: string | null;
  @Column('boolean') recurring!: boolean;
  @Column({ type: 'text', nullable: true, enum: enums.FREQUENCIES }) frequency!: enums.Frequency | null;
  @Column('text', { nullable: true }) vendor!: string | null;
  @Column('text', { name: 'receipt_url', nullable: true }) receiptUrl!: string | null;
  @Column('text', { nullable: true }) notes!: string | null;
  @Column({ ...INSTANT, name: 'due_date', nullable: true }) dueDate!: Date | null;
  @Column({ ...INSTANT, name: 'paid_at', nullable: true }) paidAt!: Date | null;
  @Column('text', { name: 'booking_reference', nullable: true }) bookingReference!: string | null;
  @Column('bigint', { name: 'booking_id', nullable: true }) bookingId!: string | null;
  @Column('text', { array: true, nullable: true }) tags!: string[] | null;
  @Column('jsonb', { nullable: true }) metadata!: Record<string, string> | null;
  @Column(() => TaxDetailsColumns, { prefix: false }) taxDetails!: TaxDetailsColumns;
  @Column(() => RefundColumns, { prefix: false }) refund!: RefundColumns;
  @Column('text', { name: 'approval_status', nullable: true }) approvalStatus!: string | null;
  @Column('text', { name: 'approved_by', nullable: true }) approvedBy!: string | null;
  @Column({ ...INSTANT, name: 'approved_date', nullable: true }) approvedDate!: Date | null;
  @CreateDateColumn({ ...INSTANT, name: 'created_at' }) createdAt!: Date;
  @UpdateDateColumn({ ...INSTANT, name: 'updated_at' }) updatedAt!: Date;
  @VersionColumn() version!: number;

  /** The enumerated fields in one number, for searches and lists; the database writes it (see `transaction.enums.ts`). */
  @Column({ type: 'integer', select: false, insert: false, update: false }) facets!: number;
}
