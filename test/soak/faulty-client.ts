import type { Owner } from '../faults/support/accounts.js';
import { Caller, jsonIn } from '../faults/support/http.js';
import { transactionRequest } from '../support/factories.js';
import { BROKEN_HTTP } from './broken-http.js';
import { FAULTY_REQUESTS } from './faulty-requests.js';
import { type Client, freshToken, type Context } from './context.js';

/** What a fault can refer to. */
export interface FaultContext extends Omit<Owner, 'token'> {
  readonly context: Context;
  readonly caller: Caller;
  /** Of its property, which it keeps from being deleted. */
  readonly transactionId: number;
  /** Somebody else's. */
  readonly foreignPropertyId: number;
  /** Of an account that is no more. */
  readonly formerId: string;
  /** A valid one, new each time. */
  readonly token: () => string;
}

/** A request that has to be refused, or that its client does not see through. */
export type Fault = (given: FaultContext) => Promise<void>;

const ALL: readonly Fault[] = [...FAULTY_REQUESTS, ...BROKEN_HTTP];

/** A client that makes every fault there is, one after the other. */
export class FaultyClient implements Client {
  private constructor(
    private readonly given: FaultContext,
    private readonly first: number,
  ) {}

  /** One for each of the accounts. `formerId`: of an account that is no more. Each begins with another fault. */
  static async all(context: Context, owners: readonly Owner[], formerId: string): Promise<FaultyClient[]> {
    const clients = owners.map(async (owner, index) => {
      const foreign = owners[(index + 1) % owners.length] ?? owner;
      const given = await contextOf(context, owner, foreign.propertyId, formerId);
      return new FaultyClient(given, Math.floor((index * ALL.length) / owners.length));
    });
    return Promise.all(clients);
  }

  async run(): Promise<void> {
    for (let next = this.first; ; next++) await ALL[next % ALL.length]?.(this.given);
  }

  disconnect(): void {
    this.given.caller.close();
  }
}

async function contextOf(
  context: Context,
  owner: Owner,
  foreignPropertyId: number,
  formerId: string,
): Promise<FaultContext> {
  const caller = new Caller(context.url);
  const { reply } = await context.ledger.create((bookingReference) => {
    const body = transactionRequest(owner.propertyId, { bookingReference });
    return caller.post('/api/transactions', body, owner.token);
  });
  const { id: transactionId } = jsonIn(reply) as { id: number };
  const token = (): string => freshToken(owner.id, context.random);
  return { ...owner, context, caller, transactionId, foreignPropertyId, formerId, token };
}
