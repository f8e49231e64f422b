/** The contract's enumerations. Any category goes with any type: a refund from a cleaner is an INCOME in CLEANING. */

export const TRANSACTION_TYPES = ['EXPENSE', 'INCOME'] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

export const CATEGORIES = [
  'BOOKING_PAYMENT',
  'CLEANING_FEE',
  'SECURITY_DEPOSIT',
  'LATE_CHECKOUT_FEE',
  'ADDITIONAL_GUEST_FEE',
  'OTHER_INCOME',
  'CLEANING',
  'MAINTENANCE',
  'UTILITIES',
  'SUPPLIES',
  'INSURANCE',
  'MORTGAGE',
  'PROPERTY_TAX',
  'PLATFORM_FEES',
  'MARKETING',
  'OTHER_EXPENSE',
  'TAXES',
  'HOA_FEES',
  'REPAIRS',
  'FURNISHING',
  'PROPERTY_MANAGEMENT',
  'PERMITS_LICENSES',
  'LEGAL_PROFESSIONAL',
] as const;
export type Category = (typeof CATEGORIES)[number];

export const STATUSES = ['PENDING', 'PAID', 'OVERDUE', 'CANCELLED', 'DISPUTED', 'REFUNDED'] as const;
export type Status = (typeof STATUSES)[number];

export const PAYMENT_METHODS = [
  'CASH',
  'CREDIT_CARD',
  'DEBIT_CARD',
  'BANK_TRANSFER',
  'CHECK',
  'PAYPAL',
  'VENMO',
  'ZELLE',
  'OTHER',
] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

export const FREQUENCIES = [
  'ONE_TIME',
  'DAILY',
  'WEEKLY',
  'BI_WEEKLY',
  'MONTHLY',
  'QUARTERLY',
  'SEMI_ANNUALLY',
  'ANNUALLY',
] as const;
export type Frequency = (typeof FREQUENCIES)[number];
