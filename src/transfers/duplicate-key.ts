import type { TransactionRequest } from '../transactions/transactions.dto.js';

/** What makes duplicates, as the statement makes it of what is stored. */
export interface DuplicateKey {
  readonly day: string;
  /** Property, amount and day. */
  readonly entry: string;
  /** With the payment reference, if there is one. */
  readonly key: string;
}

/** Two rows with the same are duplicates. The day is of the instant that a reader has made, which is in UTC. */
export function duplicateKey(request: TransactionRequest): DuplicateKey {
  const { propertyId, amount, paymentReference } = request;
  const day = request.date.slice(0, 10);
  const entry = `${propertyId} ${amount} ${day}`;
  return { day, entry, key: paymentReference === null ? entry : `${entry} ${paymentReference}` };
}
