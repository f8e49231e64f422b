import type { HttpRequest } from '../support/http.js';
import { Client } from '../support/client.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from '../support/factories.js';
import type { Service } from '../support/service.js';

/** Two requests whose responses must be the same, in the same time. */
export interface Pair {
  readonly name: string;
  readonly requests: readonly [HttpRequest, HttpRequest];
  /** Of both. */
  readonly status: number;
  /** Whether the difference must also be small beside the time: where that is no fraction of a millisecond. */
  readonly isRelative: boolean;
}

const NEIGHBOURS = 200;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Another owner's resource against a missing one. */
export async function ownershipPairs(service: Service): Promise<Pair[]> {
  const [caller, stranger] = [await service.account(), await service.account()];
  const own = await createProperty(caller);
  let property = await createProperty(stranger);
  let transaction = await createTransaction(stranger, property.id);
  for (let left = NEIGHBOURS; left > 0; left--) {
    property = await createProperty(stranger);
    transaction = await createTransaction(stranger, property.id);
  }
  const headers = { authorization: `Bearer ${caller.token!}`, ...JSON_TYPE };
  const pair = (id: number, method: string, path: string, body?: (id: number) => object): Pair => {
    const request = (some: number): HttpRequest => ({
      ...{ method, path: path.replace('{id}', String(some)), headers },
      body: body === undefined ? undefined : JSON.stringify(body(some)),
    });
    return {
      name: `${method} ${path}: another owner's, a missing one`,
      requests: [request(id), request(id + NEIGHBOURS)],
      status: 404,
      isRelative: false,
    };
  };
  return [
    pair(property.id, 'GET', '/api/properties/{id}'),
    pair(property.id, 'PUT', '/api/properties/{id}', () => propertyRequest()),
    pair(property.id, 'DELETE', '/api/properties/{id}'),
    pair(transaction.id, 'GET', '/api/transactions/{id}'),
    pair(transaction.id, 'PUT', '/api/transactions/{id}', () => transactionRequest(own.id)),
    pair(transaction.id, 'DELETE', '/api/transactions/{id}'),
    pair(property.id, 'GET', '/api/transactions/property/{id}'),
    pair(property.id, 'POST', '/api/transactions', (id) => transactionRequest(id)),
  ];
}

/** bcrypt reads 72 bytes: longer passwords go another way. The last fills the largest body that is read. */
const PASSWORDS: Readonly<Record<string, string>> = {
  '12 bytes': 'not this one',
  '72 bytes': 'x'.repeat(72),
  '73 bytes': 'x'.repeat(73),
  '288 bytes': '😀'.repeat(72),
  'a whole body': 'x'.repeat(16 * 1024 - 100),
};
/** Also tried where the right password is long. */
const LONG_ONES = ['12 bytes', '288 bytes'];
const OWN_PASSWORDS: Readonly<Record<string, string>> = { short: 'correct horse', long: 'é'.repeat(72) };

/** An unknown name against a wrong password, for accounts whose own passwords are short and long. */
export async function signInPairs({ url }: Service): Promise<Pair[]> {
  for (const [own, password] of Object.entries(OWN_PASSWORDS)) {
    const account = { username: `known-${own}`, email: `${own}@example.com`, password };
    const { status, text } = await new Client(url).post('/api/auth/signup', account);
    if (status !== 201) throw new Error(`no account: ${text}`);
  }
  const signIn = (username: string, password: string): HttpRequest => ({
    ...{ method: 'POST', path: '/api/auth/signin', headers: JSON_TYPE },
    body: JSON.stringify({ username, password }),
  });
  return Object.entries(PASSWORDS).flatMap(([length, password]) =>
    Object.keys(OWN_PASSWORDS)
      .filter((own) => own === 'short' || LONG_ONES.includes(length))
      .map((own) => ({
        name: `sign-in with a password of ${length}: unknown name, known with a ${own} one`,
        requests: [signIn(`ghost-${own}`, password), signIn(`known-${own}`, password)],
        status: 401,
        isRelative: true,
      })),
  );
}
