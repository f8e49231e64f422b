import { operationOf } from '../support/api-document.js';
import type { Client } from '../support/client.js';
import { undocumented } from '../support/conformance.js';
import { createProperty, createTransaction } from '../support/factories.js';
import { headerFaults, problemFaults } from '../support/problem-document.js';
import { Wire, type WireAnswer } from '../support/wire.js';
import type { Facts, FuzzRequest } from './requests.js';

/** Gives the user properties and transactions for random requests, and the stranger one of each. */
export async function makeFacts(
  user: Client,
  admin: Client,
  stranger: Client & { readonly id: string },
  count: number,
): Promise<Facts> {
  const properties: number[] = [];
  const transactions: number[] = [];
  for (let index = 0; index < count; index++) {
    const { id } = await createProperty(user);
    properties.push(id);
    for (let left = index % 3; left > 0; left--) transactions.push((await createTransaction(user, id)).id);
  }
  const { id: foreignProperty } = await createProperty(stranger);
  const { id: foreignTransaction } = await createTransaction(stranger, foreignProperty);
  const tokens = { user: user.token!, admin: admin.token! };
  return { ...tokens, properties, transactions, stranger: stranger.id, foreignProperty, foreignTransaction };
}

/** Every fault of a response to a random request. */
export function faultsOf(request: FuzzRequest, answer: WireAnswer, facts: Facts): string[] {
  if (answer.status >= 500) return [`status ${answer.status}`];
  const isProblem = answer.status >= 400 && request.method !== 'HEAD';
  return [
    ...(isProblem ? problemFaults(answer) : headerFaults(answer)),
    ...accessFaults(request, answer, facts),
    ...undocumented({ ...request, ...answer }),
  ];
}

/** Responses that the caller must not get; the API document says the rest. */
function accessFaults(request: FuzzRequest, { status }: WireAnswer, facts: Facts): string[] {
  const { method } = request;
  const path = pathOf(request.target);
  const caller = callerOf(request, facts);
  const isForAdmin = path !== '/api/users/me' && /^\/(actuator|api\/users)(\/|$)/.test(path);
  if (status === 403 && (caller !== 'user' || !isForAdmin))
    return [`${method} ${path} may not be denied to ${caller}`];
  const isPublic = operationOf(method, path)?.operation.security?.length === 0;
  if (status >= 400 || caller === 'admin' || isPublic) return [];
  if (caller !== 'user') return [`${path} was answered to ${caller}`];
  if (isForAdmin) return [`${path} was answered to a user`];
  const { foreignProperty, foreignTransaction } = facts;
  const isForeign =
    new RegExp(`^/api/(properties|transactions/property)/${foreignProperty}$`).test(path) ||
    path === `/api/transactions/${foreignTransaction}`;
  return isForeign ? [`${path} is another owner's`] : [];
}

/** As the router reads it: without scheme and query, its escapes resolved but for those of slashes. */
function pathOf(target: string): string {
  const path = target
    .replace(/^https?:\/\/[^/?]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/%2f/gi, '%252f');
  try {
    return decodeURIComponent(path === '' ? '/' : path);
  } catch {
    return path;
  }
}

/** The account of the token that counts: the one in the only Authorization field. */
function callerOf({ headers }: FuzzRequest, { user, admin }: Facts): 'user' | 'admin' | 'nobody' {
  const values = headers.filter(([name]) => name.toLowerCase() === 'authorization').map(([, value]) => value);
  const value = values.length === 1 ? values[0]!.trim() : '';
  if (value === `Bearer ${user}`) return 'user';
  return value === `Bearer ${admin}` ? 'admin' : 'nobody';
}

export const excerpt = ({ bytes }: FuzzRequest): string =>
  JSON.stringify(bytes.toString('latin1').slice(0, 600));

/** A connection that is kept for as long as the service keeps it. */
export class Lane {
  #wire: Wire | undefined;

  constructor(private readonly url: string) {}

  async send({ bytes, method, isLast }: FuzzRequest): Promise<WireAnswer> {
    this.#wire ??= await Wire.open(this.url);
    const wire = this.#wire.send(bytes);
    try {
      let answer: WireAnswer;
      do answer = await wire.answer({ head: method === 'HEAD' });
      while (answer.status < 200);
      if (isLast || answer.headers.get('connection') !== 'keep-alive') this.close();
      return answer;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#wire?.destroy();
    this.#wire = undefined;
  }
}
