/** A row as pg gives it: bigint and numeric as text, timestamps as Date. */
export interface SummaryRow {
  id: string;
  property_id: string;
  property_name: string;
  type: string;
  category: string;
  subcategory: string | null;
  description: string;
  amount: string;
  status: string;
  payment_method: string | null;
  recurring: boolean;
  vendor: string | null;
  date: Date;
  due_date: Date | null;
  paid_at: Date | null;
}

export interface TransactionRow extends SummaryRow {
  version: number;
  payment_reference: string | null;
  frequency: string | null;
  receipt_url: string | null;
  notes: string | null;
  booking_reference: string | null;
  booking_id: string | null;
  tags: string[];
  metadata: Record<string, string>;
  tax_taxable: boolean | null;
  tax_category: string | null;
  tax_amount: string | null;
  tax_deductible: boolean | null;
  tax_deduction_category: string | null;
  refund_amount: string | null;
  refund_date: Date | null;
  refund_reason: string | null;
  refund_reference: string | null;
  approval_status: string | null;
  approved_by: string | null;
  approved_date: Date | null;
  created_at: Date;
  updated_at: Date;
}

export const SUMMARY_COLUMNS = [
  'id',
  'property_id',
  'property_name',
  'type',
  'category',
  'subcategory',
  'description',
  'amount',
  'status',
  'payment_method',
  'recurring',
  'vendor',
  'date',
  'due_date',
  'paid_at',
];

export const COLUMNS = [
  ...SUMMARY_COLUMNS,
  'version',
  'payment_reference',
  'frequency',
  'receipt_url',
  'notes',
  'booking_reference',
  'booking_id',
  'tags',
  'metadata',
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
  'updated_at',
];

export function toSummary(row: SummaryRow): Record<string, unknown> {
  return {
    id: Number(row.id),
    propertyId: Number(row.property_id),
    propertyName: row.property_name,
    type: row.type,
    category: row.category,
    subcategory: row.subcategory,
    description: row.description,
    amount: Number(row.amount),
    status: row.status,
    paymentMethod: row.payment_method,
    recurring: row.recurring,
    vendor: row.vendor,
    date: row.date,
    dueDate: row.due_date,
    paidAt: row.paid_at,
  };
}

export function toTransaction(row: TransactionRow): Record<string, unknown> {
  return {
    ...toSummary(row),
    bookingReference: row.booking_reference,
    bookingId: numberOf(row.booking_id),
    paymentReference: row.payment_reference,
    frequency: row.frequency,
    receiptUrl: row.receipt_url,
    notes: row.notes,
    taxDetails: taxDetailsOf(row),
    refund: refundOf(row),
    tags: row.tags,
    metadata: row.metadata,
    approvalStatus: row.approval_status,
    approvedBy: row.approved_by,
    approvedDate: row.approved_date,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function taxDetailsOf(row: TransactionRow): unknown {
  const { tax_taxable: taxable, tax_category: taxCategory, tax_amount: amount } = row;
  const { tax_deductible: deductible, tax_deduction_category: deductionCategory } = row;
  return unlessEmpty({ taxable, taxCategory, taxAmount: numberOf(amount), deductible, deductionCategory });
}

function refundOf(row: TransactionRow): unknown {
  return unlessEmpty({
    refundAmount: numberOf(row.refund_amount),
    refundDate: row.refund_date,
    refundReason: row.refund_reason,
    refundReference: row.refund_reference,
  });
}

function unlessEmpty(group: Record<string, unknown>): unknown {
  return Object.values(group).some((value) => value !== null) ? group : null;
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
