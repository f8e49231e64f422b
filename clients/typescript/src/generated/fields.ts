// Generated from openapi.json by scripts/client-types.mjs: do not edit.
/** Integers of 64 bits. */
export const INT64_FIELDS: ReadonlySet<string> = new Set([
  'bookingId',
  'count',
  'expiresIn',
  'id',
  'ownerId',
  'propertyId',
  'totalElements',
  'transactionId',
  'transactions',
]);

/** Exact decimals. */
export const DECIMAL_FIELDS: ReadonlySet<string> = new Set([
  'amount',
  'basePrice',
  'depositsHeld',
  'depositsReceived',
  'depositsReturned',
  'expenses',
  'income',
  'maxAmount',
  'minAmount',
  'net',
  'payable',
  'receivable',
  'refundAmount',
  'refundedExpenses',
  'refundedIncome',
  'taxAmount',
  'totalExpenses',
]);

/** Objects whose names anybody may choose. */
export const OPEN_OBJECTS: ReadonlySet<string> = new Set([
  '_links',
  'components',
  'details',
  'errors',
  'metadata',
]);
