import { transactionRequest } from '../../support/factories.js';

/** A file of equal rows, as NDJSON. */
export function linesOf(propertyId: number, rows: number, vendor: string): string {
  return `${JSON.stringify(transactionRequest(propertyId, { vendor }))}\n`.repeat(rows);
}

/** Equal rows as the body of a batch. */
export function batchOf(propertyId: number, rows: number, vendor: string): object {
  const row = transactionRequest(propertyId, { vendor });
  return { transactions: Array.from({ length: rows }, () => row) };
}
