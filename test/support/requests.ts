import { nextOf } from './cursor-walk.js';
import { createProperty, createTransaction, propertyRequest, transactionRequest } from './factories.js';
import type { Account } from './service.js';
import { signUpRequest } from './sign-up.js';

export type Request = [line: string, body?: unknown, headers?: Record<string, string>];

const NEXT = 'GET the next page'; // the Link of the response before
const NDJSON = { 'content-type': 'application/x-ndjson' };
const ACCOUNT = signUpRequest();
const SEARCH = {
  ...{ startDate: '2020-01-01T00:00Z', endDate: '2030-01-01T00:00Z', minAmount: 1, maxAmount: 2 },
  ...{ type: 'INCOME', category: 'TAXES', status: 'PAID', paymentMethod: 'CASH', vendor: 'x' },
  ...{
    frequency: 'DAILY',
    approvalStatus: 'y',
    overdue: true,
    bookingReference: 'b',
    paymentReference: 'c',
    searchTerm: 'a',
    sortBy: 'amount',
  },
};

/** The requests that send the statements of each file. */
export function requestsFor(property: number, transaction: number): Record<string, Request[]> {
  const row = transactionRequest(property);
  const updated = JSON.stringify({ id: transaction, version: 1, amount: 5, propertyName: 'Seaside Cottage' });
  const referenced = JSON.stringify({ ...row, paymentReference: 'R1' });
  return {
    'users/users': [
      ['POST /api/auth/signup', ACCOUNT],
      ['POST /api/auth/signin', ACCOUNT],
      ['GET /api/users'],
      ['GET /api/users/1'],
      ['DELETE /api/users/1'],
    ],
    'keys/keys': [
      ['POST /api/keys', { name: 'a', access: 'READ' }],
      ['GET /api/keys'],
      ['DELETE /api/keys/1'],
      ['GET /api/users/me', undefined, { authorization: `Bearer pfk_1_${'a'.repeat(43)}` }],
    ],
    'properties/properties': [
      ['GET /api/properties?sort=name,desc&size=1'],
      [NEXT],
      ['POST /api/properties', propertyRequest(), { 'idempotency-key': 'a' }],
      [`GET /api/properties/${property}`],
      [`PUT /api/properties/${property}`, propertyRequest()],
      [`DELETE /api/properties/${property}`],
      [`DELETE /api/properties/${property}`, undefined, { 'if-match': '"9"' }],
      ['GET /api/properties/changes'],
    ],
    'transactions/transactions': [
      ['GET /api/transactions?size=1'],
      [NEXT],
      [`GET /api/transactions/property/${property}?page=1`],
      ['POST /api/transactions/search', SEARCH],
      ['POST /api/transactions', row],
      [`GET /api/transactions/${transaction}`],
      [`PUT /api/transactions/${transaction}`, row],
      [`DELETE /api/transactions/${transaction}`, undefined, { 'if-match': '"9"' }],
      ['POST /api/transactions/batch', { transactions: [row] }],
      ['GET /api/transactions/changes'],
    ],
    'reports/reports': [
      ['GET /api/reports/profit-and-loss?groupBy=property,month'],
      ['GET /api/reports/tax-year?year=2026'],
      ['GET /api/reports/cash-flow'],
    ],
    'transfers/transfers': [
      ['POST /api/transactions/export', {}],
      ['GET /api/transactions/export?paymentReference=R1'],
      ['POST /api/transactions/import', JSON.stringify(row), NDJSON],
      ['POST /api/transactions/import?by=reference', referenced, NDJSON],
      ['POST /api/transactions/import?mode=update&property=name', updated, NDJSON],
    ],
  };
}

/** Sends the caller's requests in turn, each about new rows of the owner, within `around`. */
export async function sendEach(
  requestsOf: (property: number, transaction: number) => readonly Request[],
  { owner, caller }: Readonly<Record<'owner' | 'caller', Account>>,
  around: (heading: string, send: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  let next: string | undefined;
  for (const index of requestsOf(0, 0).keys()) {
    const { id: property } = await createProperty(owner);
    await createTransaction(owner, property);
    const { id: transaction } = await createTransaction(owner, property);
    const [line, body, headers = {}] = requestsOf(property, transaction)[index]!;
    const [method = '', path = ''] = line.split(' ');
    const heading = line.replace(String(property), ':property').replace(String(transaction), ':id');
    await around(heading, async () => {
      next = nextOf(await caller.send(method, line === NEXT ? next! : path, { body, headers }));
    });
  }
}
