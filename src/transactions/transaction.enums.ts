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

/** A field in the column `facets`: its bits, and its values in the order of their code points (see the migration). */
class Facet {
  readonly mask = (2 ** this.width - 1) << this.shift;
  private readonly sorted = this.values.toSorted();

  constructor(
    private readonly values: readonly string[],
    private readonly shift: number,
    private readonly width: number,
  ) {}

  /** The bits of a value. They are 0 in a row without one. */
  of(value: string): number {
    return (this.sorted.indexOf(value) + 1) << this.shift;
  }

  /** SQL: the value whose bits these are. */
  valueOf(bits: string): string {
    return `('{${this.sorted.join(',')}}'::text[])[${bits} >> ${this.shift}]`;
  }
}

export const FACETS = {
  type: new Facet(TRANSACTION_TYPES, 0, 2),
  status: new Facet(STATUSES, 2, 3),
  category: new Facet(CATEGORIES, 5, 5),
  paymentMethod: new Facet(PAYMENT_METHODS, 10, 4),
  frequency: new Facet(FREQUENCIES, 15, 4),
};
const RECURRING = 1 << 14;
/** SQL over `t`: to the letter the predicate of the index of recurring transactions (see the migration). */
export const RECURS = `t.facets & ${RECURRING} <> 0`;

type Wanted = Readonly<Record<keyof typeof FACETS, string | null>> & { readonly recurring: boolean | null };

/** The condition `facets & mask = bits` for rows with all of these values; a null asks for none. */
export function facetsOf(wanted: Wanted): { mask: number; bits: number } {
  let [mask, bits] = wanted.recurring === null ? [0, 0] : [RECURRING, wanted.recurring ? RECURRING : 0];
  for (const [name, facet] of Object.entries(FACETS)) {
    const value = wanted[name as keyof typeof FACETS];
    if (value === null) continue;
    mask |= facet.mask;
    bits |= facet.of(value);
  }
  return { mask, bits };
}
