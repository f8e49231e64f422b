import { operationOf } from '../support/api-document.js';
import type { Client } from '../support/client.js';
import { undocumented } from '../support/conformance.js';
import { createProperty, createTransaction } from '../support/factories.js';
import { headerFaults, problemFaults } from '../support/problem-document.js';
import { Wire, type WireAnswer } from '../support/wire.js';
import { pathOf } from '../../src/http/target.js';
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

const excerpt = ({ bytes }: FuzzRequest): string => JSON.stringify(bytes.toString('latin1').slice(0, 600));

/** The statuses of the responses to random requests, and their faults. */
export class Tally {
  readonly statuses = new Map<number, number>();
  readonly faults: string[] = [];

  add(request: FuzzRequest, answer: WireAnswer, facts: Facts): void {
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    const faults = faultsOf(request, answer, facts);
    if (faults.length === 0) return;
    this.faults.push(`${faults.join('; ').slice(0, 300)} to ${excerpt(request)}`);
  }

  get responses(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }
}

function faultsOf(request: FuzzRequest, answer: WireAnswer, facts: Facts): string[] {
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
  const { method, target } = request;
  const caller = callerOf(request, facts);
  const { path = '', operation } = operationOf(method, target) ?? {};
  const isForAdmin = /^\/(actuator|api\/users)(\/|$)/.test(path) && path !== '/api/users/me';
  if (status === 403 && (caller !== 'user' || (operation !== undefined && !isForAdmin)))
    return [`${method} ${target} may not be denied to ${caller}`];
  const isPublic = operation?.security?.length === 0;
  if (status >= 400 || operation === undefined || isPublic || caller === 'admin') return [];
  if (caller === 'nobody' || isForAdmin) return [`${target} was answered to ${caller}`];
  const foreign = path.includes('transactions/{id}') ? facts.foreignTransaction : facts.foreignProperty;
  const isForeign = path.includes('{') && pathOf(target).endsWith(`/${foreign}`);
  return isForeign ? [`${target} is another owner's`] : [];
}

/** The account of the token that counts: the one in the only Authorization field. */
function callerOf({ headers }: FuzzRequest, { user, admin }: Facts): 'user' | 'admin' | 'nobody' {
  const values = headers.filter(([name]) => name.toLowerCase() === 'authorization').map(([, value]) => value);
  const value = values.length === 1 ? values[0]!.trim() : '';
  if (value === `Bearer ${user}`) return 'user';
  return value === `Bearer ${admin}` ? 'admin' : 'nobody';
}

/** A connection that is kept for as long as the service keeps it. */
export class Lane {
  #wire: Wire | undefined;

  constructor(private readonly url: string) {}

  async send(request: FuzzRequest): Promise<WireAnswer> {
    const { bytes, method, isLast } = request;
    this.#wire ??= await Wire.open(this.url);
    const wire = this.#wire.send(bytes);
    let answer: WireAnswer;
    do
      answer = await wire.answer({ head: method === 'HEAD' }).catch((error: unknown) => {
        throw new Error(`no response to ${excerpt(request)}`, { cause: error });
      });
    while (answer.status < 200);
    if (isLast || answer.headers.get('connection') !== 'keep-alive') this.close();
    return answer;
  }

  close(): void {
    this.#wire?.destroy();
    this.#wire = undefined;
  }
}
