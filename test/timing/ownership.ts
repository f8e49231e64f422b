import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from '../support/factories.js';
import type { Service } from '../support/service.js';
import type { Pair } from './measure.js';

const NEIGHBOURS = 200;

/** Another owner's resource against one that is not there. */
export async function ownershipPairs(service: Service): Promise<Pair[]> {
  const [caller, stranger] = [await service.account(), await service.account()];
  const own = await createProperty(caller);
  let foreign = await createProperty(stranger);
  let transaction = await createTransaction(stranger, foreign.id);
  for (let left = NEIGHBOURS; left > 0; left--) {
    foreign = await createProperty(stranger);
    transaction = await createTransaction(stranger, foreign.id);
  }
  const pair = (
    method: string,
    path: (id: number) => string,
    id: number,
    body?: (id: number) => object,
  ): Pair => {
    const call = (some: number): Pair['one'] => ({
      method,
      target: path(some),
      token: caller.token,
      ...(body === undefined ? {} : { body: JSON.stringify(body(some)) }),
    });
    const name = `${method} ${path(0).replace(/0$/, '{id}')}: another owner's, a missing one`;
    return { name, one: call(id), other: call(id + NEIGHBOURS), status: 404, isRelative: false };
  };
  const property = (id: number): string => `/api/properties/${id}`;
  const one = (id: number): string => `/api/transactions/${id}`;
  return [
    pair('GET', property, foreign.id),
    pair('PUT', property, foreign.id, () => propertyRequest()),
    pair('DELETE', property, foreign.id),
    pair('GET', one, transaction.id),
    pair('PUT', one, transaction.id, () => transactionRequest(own.id)),
    pair('DELETE', one, transaction.id),
    pair('GET', (id) => `/api/transactions/property/${id}`, foreign.id),
    pair(
      'POST',
      () => '/api/transactions',
      foreign.id,
      (id) => transactionRequest(id),
    ),
  ];
}
