/** The lists of the specification, written again for the tests. */

export const words = (text: string): string[] => text.trim().split(/\s+/);

export const TYPES = ['EXPENSE', 'INCOME'];

export const CATEGORIES = words(`
  BOOKING_PAYMENT CLEANING_FEE SECURITY_DEPOSIT LATE_CHECKOUT_FEE ADDITIONAL_GUEST_FEE OTHER_INCOME
  CLEANING MAINTENANCE UTILITIES SUPPLIES INSURANCE MORTGAGE PROPERTY_TAX PLATFORM_FEES MARKETING
  OTHER_EXPENSE TAXES HOA_FEES REPAIRS FURNISHING PROPERTY_MANAGEMENT PERMITS_LICENSES
  LEGAL_PROFESSIONAL
`);

export const STATUSES = ['PENDING', 'PAID', 'OVERDUE', 'CANCELLED', 'DISPUTED', 'REFUNDED'];

export const PAYMENT_METHODS = words(`
  CASH CREDIT_CARD DEBIT_CARD BANK_TRANSFER CHECK PAYPAL VENMO ZELLE OTHER
`);

export const FREQUENCIES = words(`
  ONE_TIME DAILY WEEKLY BI_WEEKLY MONTHLY QUARTERLY SEMI_ANNUALLY ANNUALLY
`);

export const TRANSACTION_SORT_FIELDS = words(`
  id date amount createdAt updatedAt dueDate paidAt category type status description vendor
`);

/** The last two are aliases of createdAt and basePrice. */
export const PROPERTY_SORT_FIELDS = words(`
  id name address basePrice maxGuests bedrooms bathrooms active createdAt updatedAt date amount
`);

export const PROPERTY_FIELDS = words(`
  id ownerId name address description basePrice maxGuests bedrooms bathrooms active strPermitNumber
  houseRules checkInInstructions
`);

export const SUMMARY_FIELDS = words(`
  id propertyId propertyName type category subcategory description amount status paymentMethod
  recurring vendor date dueDate paidAt
`);

export const TRANSACTION_FIELDS = [
  ...SUMMARY_FIELDS,
  ...words(`
    bookingReference bookingId paymentReference frequency receiptUrl notes taxDetails refund tags
    metadata approvalStatus approvedBy approvedDate createdAt updatedAt
  `),
];

/** The form of every instant in a response. */
export const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Malformed ids in a path. */
export const NO_IDS = [
  ...['abc', 'ME', 'null', 'true', '-', '--1', '-01', '01', '+1', '1n', '1_000', '1,2', '1.0', '1e1', '0x1'],
  ...['%201', '1%20', '1%00', '%D9%A1', '9223372036854775808', '-9223372036854775809', '9'.repeat(1000)],
];
