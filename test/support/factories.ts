import type { Client } from './client.js';

/** A valid property request, with these fields replaced. */
export function propertyRequest(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Seaside Cottage',
    address: '1 Harbour Road',
    basePrice: 120.5,
    maxGuests: 4,
    bedrooms: 2,
    bathrooms: 1,
    active: true,
    ...fields,
  };
}

/** A valid transaction request, with these fields replaced. */
export function transactionRequest(
  propertyId: number,
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    propertyId,
    type: 'INCOME',
    category: 'BOOKING_PAYMENT',
    description: 'Three nights',
    amount: 360.75,
    date: '2026-01-15T10:30:00Z',
    ...fields,
  };
}

/** Creates a property and returns its response. */
export async function createProperty(
  owner: Client,
  fields: Record<string, unknown> = {},
): Promise<{ id: number; name: string }> {
  const answer = await owner.post('/api/properties', propertyRequest(fields));
  if (answer.status !== 200) throw new Error(`no property: ${answer.text}`);
  return answer.json as { id: number; name: string };
}

/** Creates a transaction and returns its response. */
export async function createTransaction(
  owner: Client,
  propertyId: number,
  fields: Record<string, unknown> = {},
): Promise<{ id: number } & Record<string, unknown>> {
  const answer = await owner.post('/api/transactions', transactionRequest(propertyId, fields));
  if (answer.status !== 200) throw new Error(`no transaction: ${answer.text}`);
  return answer.json as { id: number } & Record<string, unknown>;
}
