import { Caller } from '../faults/support/http.js';
import { fateOf, type Owner } from '../faults/support/load.js';
import { transactionRequest } from '../support/factories.js';
import { contentOf } from '../support/forged-token.js';
import { BROKEN_HTTP } from './broken-http.js';
import { MISTAKES } from './mistakes.js';
import { type Client, freshToken, type Stage } from './stage.js';

/** What a mistake can refer to. */
export interface Situation {
  readonly stage: Stage;
  readonly caller: Caller;
  readonly id: string;
  readonly username: string;
  readonly email: string;
  /** It has a transaction, so that it cannot be deleted. */
  readonly propertyId: number;
  readonly transactionId: number;
  /** Somebody else's. */
  readonly foreignPropertyId: number;
  /** Of an account that is no more. */
  readonly formerId: string;
  /** A valid one, new each time. */
  readonly token: () => string;
}

/** A request that has to be refused, or that its client does not see through. */
export type Mistake = (situation: Situation) => Promise<void>;

const ALL: readonly Mistake[] = [...MISTAKES, ...BROKEN_HTTP];

/** A client that makes every mistake there is, one after the other. */
export class Nuisance implements Client {
  private constructor(
    private readonly situation: Situation,
    private readonly first: number,
  ) {}

  /** One for each of the accounts. `formerId`: of an account that is no more. Each begins with another mistake. */
  static async all(stage: Stage, owners: readonly Owner[], formerId: string): Promise<Nuisance[]> {
    const nuisances = owners.map(async (owner, index) => {
      const foreign = owners[(index + 1) % owners.length] ?? owner;
      const situation = await situationOf(stage, owner, foreign.propertyId, formerId);
      return new Nuisance(situation, Math.floor((index * ALL.length) / owners.length));
    });
    return Promise.all(nuisances);
  }

  async run(): Promise<void> {
    for (let next = this.first; ; next++) await ALL[next % ALL.length]?.(this.situation);
  }

  disconnect(): void {
    this.situation.caller.close();
  }
}

async function situationOf(
  stage: Stage,
  owner: Owner,
  foreignPropertyId: number,
  formerId: string,
): Promise<Situation> {
  const { token, propertyId } = owner;
  const caller = new Caller(stage.url);
  const { sub: id } = contentOf(token, 1) as { sub: string };
  const me = await caller.send({ method: 'GET', path: '/api/users/me', token });
  const { username, email } = JSON.parse(me.text) as { username: string; email: string };
  const marker = stage.ledger.attempt();
  const body = JSON.stringify(transactionRequest(propertyId, { bookingReference: marker }));
  const created = await caller.send({ method: 'POST', path: '/api/transactions', token, body });
  stage.ledger.settle(marker, fateOf(created));
  const { id: transactionId } = JSON.parse(created.text) as { id: number };
  return {
    stage,
    caller,
    id,
    username,
    email,
    propertyId,
    transactionId,
    foreignPropertyId,
    formerId,
    token: () => freshToken(id, stage.random),
  };
}
