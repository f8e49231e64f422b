import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn, VersionColumn } from 'typeorm';
import type { SortKey } from '../database/lists/statement.js';
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

/** Texts and facets sort by code point, whatever the locale. Rows without a value are last ascending, first descending. */
export const TRANSACTION_SORT_COLUMNS = {
  id: ['t.id'],
  date: ['t.date'],
  amount: ['t.amount'],
  createdAt: ['t.created_at'],
  updatedAt: ['t.updated_at'],
  dueDate: ["coalesce(t.due_date, 'infinity')"],
  paidAt: ["coalesce(t.paid_at, 'infinity')"],
  category: [`(t.facets & ${enums.FACETS.category.mask})`],
  type: [`(t.facets & ${enums.FACETS.type.mask})`],
  status: [`(t.facets & ${enums.FACETS.status.mask})`],
  description: ['t.description COLLATE "C"'],
  vendor: ['t.vendor IS NULL', `coalesce(t.vendor, '') COLLATE "C"`],
};

/** Of one owner by id: in the order of the primary key PostgreSQL would go through everybody's entries. */
export const OWNER_ID_COLUMNS = { ...TRANSACTION_SORT_COLUMNS, id: ['(t.id + 0)'] };

export type TransactionSortField = keyof typeof TRANSACTION_SORT_COLUMNS;
export const TRANSACTION_SORT_FIELDS = Object.keys(TRANSACTION_SORT_COLUMNS) as TransactionSortField[];
/** Fields that have an index in their order: an owner's list sorted by one reads no more than its page. */
export const INDEXED: readonly TransactionSortField[] = ['date', 'amount'];
/** Fields that no index has: a list sorted by one reads all rows of its owner. */
export const UNINDEXED: readonly TransactionSortField[] = ['description', 'vendor', 'createdAt', 'updatedAt'];
export type TransactionSort = readonly SortKey<TransactionSortField>[];
