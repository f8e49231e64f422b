import type { TransactionRequest } from '../../transactions/transactions.dto.js';

/** A transaction that does not know yet under which id its property will be stored. */
export type Entry = Omit<TransactionRequest, 'propertyId'>;

/** Hundredths. */
export type Cents = number;

type Further = Partial<Omit<Entry, 'type' | 'category' | 'description' | 'amount' | 'date'>>;

/** Money received, and paid on its date unless the further fields say otherwise. */
export function income(
  category: Entry['category'],
  description: string,
  amount: Cents,
  date: string,
  further: Further = {},
): Entry {
  return {
    type: 'INCOME',
    category,
    description,
    amount: (amount / 100).toFixed(2),
    date,
    subcategory: null,
    status: 'PAID',
    paymentMethod: 'BANK_TRANSFER',
    paymentReference: null,
    recurring: false,
    frequency: null,
    vendor: null,
    receiptUrl: null,
    notes: null,
    dueDate: null,
    paidAt: date,
    bookingReference: null,
    bookingId: null,
    tags: [],
    metadata: {},
    ...further,
  };
}

/** Money spent; otherwise as {@link income}. */
export function expense(...fields: Parameters<typeof income>): Entry {
  return { ...income(...fields), type: 'EXPENSE' };
}

/** The further fields of what nobody has paid yet. */
export function unpaid(dueDate: string): Further {
  return { status: 'PENDING', paymentMethod: null, paidAt: null, dueDate };
}
