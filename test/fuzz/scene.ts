import { undocumented } from '../support/conformance.js';
import type { Client } from '../support/client.js';
import { createProperty, createTransaction } from '../support/factories.js';
import { headerFaults, problemFaults } from '../support/problem-document.js';
import { Wire, type WireAnswer } from '../support/wire.js';
import type { Facts, FuzzRequest } from './requests.js';
import { type Parties, ruleFaults } from './rules.js';

interface Owner {
  readonly client: Client;
  readonly id: string;
}

/** Gives the user properties and transactions for random requests, and the stranger one of each. */
export async function makeFacts(user: Client, admin: Client, stranger: Owner, count: number): Promise<Facts> {
  const properties: number[] = [];
  const transactions: number[] = [];
  for (let index = 0; index < count; index++) {
    const { id } = await createProperty(user);
    properties.push(id);
    for (let left = index % 3; left > 0; left--) transactions.push((await createTransaction(user, id)).id);
  }
  const { id: foreignProperty } = await createProperty(stranger.client);
  const { id: foreignTransaction } = await createTransaction(stranger.client, foreignProperty);
  const tokens = { user: user.token!, admin: admin.token! };
  return { ...tokens, properties, transactions, stranger: stranger.id, foreignProperty, foreignTransaction };
}

export function partiesOf({ user, admin, foreignProperty, foreignTransaction }: Facts): Parties {
  const foreign = [
    `/api/properties/${foreignProperty}`,
    `/api/transactions/${foreignTransaction}`,
    `/api/transactions/property/${foreignProperty}`,
  ];
  return { user, admin, foreign };
}

/** Every fault of a response to a random request. */
export function faultsOf(request: FuzzRequest, answer: WireAnswer, parties: Parties): string[] {
  if (answer.status >= 500) return [`status ${answer.status}`];
  const isProblem = answer.status >= 400 && request.method !== 'HEAD';
  return [
    ...(isProblem ? problemFaults(answer) : headerFaults(answer)),
    ...ruleFaults(request, answer, parties),
    ...undocumented({ ...request, ...answer }),
  ];
}

export const excerpt = ({ bytes }: FuzzRequest): string =>
  JSON.stringify(bytes.toString('latin1').slice(0, 600));

/** A connection that is kept for as long as the service keeps it. */
export class Lane {
  #wire: Wire | undefined;

  constructor(private readonly url: string) {}

  async send({ bytes, method, isLast }: FuzzRequest): Promise<WireAnswer> {
    const wire = (await this.open()).send(bytes);
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

  async open(): Promise<Wire> {
    return (this.#wire ??= await Wire.open(this.url));
  }

  close(): void {
    this.#wire?.destroy();
    this.#wire = undefined;
  }
}
