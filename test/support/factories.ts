import type { HttpResponse, Client } from './client.js';

type Fields = Record<string, unknown>;

/** A valid property request, with these fields replaced. */
export const propertyRequest = (fields: Fields = {}): Fields => ({
  name: 'Seaside Cottage',
  address: '1 Harbour Road',
  basePrice: 120.5,
  maxGuests: 4,
  bedrooms: 2,
  bathrooms: 1,
  active: true,
  ...fields,
});

/** A valid transaction request, with these fields replaced. */
export const transactionRequest = (propertyId: number, fields: Fields = {}): Fields => ({
  propertyId,
  type: 'INCOME',
  category: 'BOOKING_PAYMENT',
  description: 'Three nights',
  amount: 360.75,
  date: '2026-01-15T10:30:00Z',
  ...fields,
});

export const createProperty = (owner: Client, fields?: Fields): Promise<{ id: number; name: string }> =>
  created(owner.post('/api/properties', propertyRequest(fields)));

export const createTransaction = (
  owner: Client,
  propertyId: number,
  fields?: Fields,
): Promise<{ id: number } & Fields> =>
  created(owner.post('/api/transactions', transactionRequest(propertyId, fields)));

async function created<Row>(sent: Promise<HttpResponse>): Promise<Row> {
  const response = await sent;
  if (response.status !== 200) throw new Error(`not created: ${response.text}`);
  return response.json as Row;
}
