import { requireDocumented } from '../../../test/support/conformance.js';
import {
  type ClientOptions,
  createClient,
  type Credentials,
  type PropertyFinanceClient,
  type PropertyRequest,
  type TransactionRequest,
  unwrap,
} from '../src/public.js';

let hosts = 0;

/** `fetch` that fails when a response does not match the API document. */
export async function documentedFetch(request: Request): Promise<Response> {
  const response = await fetch(request);
  const { status, headers } = response;
  const { pathname, search } = new URL(request.url);
  const text = await response.clone().text();
  requireDocumented(request.method, pathname + search, { status, headers, text });
  return response;
}

/** A new account, and a client that signs in to it when it has to. */
export async function newHost(
  baseUrl: string,
  options: Partial<ClientOptions> = {},
): Promise<PropertyFinanceClient & { readonly credentials: Credentials }> {
  const username = `typed-host-${process.pid}-${++hosts}`;
  const credentials = { username, password: 'correct horse battery' };
  const body = { ...credentials, email: `${username}@example.com` };
  await unwrap(createClient({ baseUrl }).POST('/api/auth/signup', { body }));
  return Object.assign(createClient({ baseUrl, credentials, ...options }), { credentials });
}

export const cottage: PropertyRequest = {
  name: 'Seaside Cottage',
  address: '1 Harbour Road',
  basePrice: '120.50',
  maxGuests: 4,
  bedrooms: 2,
  bathrooms: 1,
  active: true,
};

/** A stay in this property; `fields` replace its own. */
export function stay(propertyId: string, fields: Partial<TransactionRequest> = {}): TransactionRequest {
  return {
    propertyId,
    type: 'INCOME',
    category: 'BOOKING_PAYMENT',
    description: 'Three nights',
    amount: '360.75',
    date: '2026-01-15T10:30:00Z',
    ...fields,
  };
}

/** The reason that the promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => Promise.reject(new Error('it did not reject')),
    (error: unknown) => error,
  );
}
