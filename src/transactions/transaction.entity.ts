import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn, VersionColumn } from 'typeorm';
import type { Category, Frequency, PaymentMethod, Status, TransactionType } from './transaction.enums.js';

/** Of `taxDetails`; no request writes them. */
class TaxDetailsColumns {
  @Column({ type: 'boolean', name: 'tax_taxable', nullable: true }) taxable!: boolean | null;
  @Column('text', { name: 'tax_category', nullable: true }) taxCategory!: string | null;

  @Column('numeric', { name: 'tax_amount', precision: 19, scale: 2, nullable: true })
  taxAmount!: string | null;

  @Column({ type: 'boolean', name: 'tax_deductible', nullable: true }) deductible!: boolean | null;
  @Column('text', { name: 'tax_deduction_category', nullable: true }) deductionCategory!: string | null;
}

/** Of `refund`; no request writes them. */
class RefundColumns {
  @Column('numeric', { name: 'refund_amount', precision: 19, scale: 2, nullable: true })
  refundAmount!: string | null;

  @Column({ type: 'timestamptz', name: 'refund_date', precision: 3, nullable: true })
  refundDate!: Date | null;

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
  @Column('text') type!: TransactionType;
  @Column('text') category!: Category;
  @Column('text', { nullable: true }) subcategory!: string | null;
  @Column('text') description!: string;
  @Column('numeric', { precision: 19, scale: 2 }) amount!: string;
  @Column({ type: 'timestamptz', precision: 3 }) date!: Date;
  @Column('text') status!: Status;
  @Column('text', { name: 'payment_method', nullable: true }) paymentMethod!: PaymentMethod | null;
  @Column('text', { name: 'payment_reference', nullable: true }) paymentReference!: string | null;
  @Column('boolean') recurring!: boolean;
  @Column('text', { nullable: true }) frequency!: Frequency | null;
  @Column('text', { nullable: true }) vendor!: string | null;
  @Column('text', { name: 'receipt_url', nullable: true }) receiptUrl!: string | null;
  @Column('text', { nullable: true }) notes!: string | null;
  @Column({ type: 'timestamptz', name: 'due_date', precision: 3, nullable: true }) dueDate!: Date | null;
  @Column({ type: 'timestamptz', name: 'paid_at', precision: 3, nullable: true }) paidAt!: Date | null;
  @Column('text', { name: 'booking_reference', nullable: true }) bookingReference!: string | null;
  @Column('bigint', { name: 'booking_id', nullable: true }) bookingId!: string | null;
  @Column('text', { array: true, default: [] }) tags!: string[];
  @Column('jsonb', { default: {} }) metadata!: Record<string, string>;
  @Column(() => TaxDetailsColumns, { prefix: false }) taxDetails!: TaxDetailsColumns;
  @Column(() => RefundColumns, { prefix: false }) refund!: RefundColumns;
  @Column('text', { name: 'approval_status', nullable: true }) approvalStatus!: string | null;
  @Column('text', { name: 'approved_by', nullable: true }) approvedBy!: string | null;

  @Column({ type: 'timestamptz', name: 'approved_date', precision: 3, nullable: true })
  approvedDate!: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 }) createdAt!: Date;
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', precision: 3 }) updatedAt!: Date;
  @VersionColumn() version!: number;

  /** The enumerated fields in one number, for searches and lists; the database writes it (see `facets.ts`). */
  @Column({ type: 'integer', select: false }) facets!: number;
}
