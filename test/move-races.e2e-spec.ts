import type { Answer } from './support/client.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { Lock } from './support/locks.js';
import { outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';

const ALONE = 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE';

interface Case {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly headers: Record<string, string>;
  /** Whether the request looks again for the row that it has not found. */
  readonly looksAgain: boolean;
  readonly outcome: string;
}

let service: Service;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  admin = await service.account('ADMIN');
});

/** Asks while the transaction is moved, behind the service's first look at it and before its second. */
async function duringMove(ask: () => Promise<Answer>, move: string, looksAgain: boolean): Promise<Answer> {
  const before = await Lock.take(service, ALONE, []);
  const answer = ask();
  await before.waitedForBy(1);
  const moving = Lock.take(service, `${ALONE}; ${move}`, []); // it is the next in the queue
  await before.waitedForBy(2);
  await before.release();
  const moved = await moving;
  await (looksAgain ? moved.waitedForBy(1) : answer).finally(() => moved.release());
  return answer;
}

describe("a transaction that moves to another owner while an ADMIN's request is under way", () => {
  it.each<Case>([
    { method: 'GET', headers: {}, looksAgain: false, outcome: '200' },
    { method: 'PUT', headers: {}, looksAgain: true, outcome: '409 concurrent-modification' },
    {
      method: 'DELETE',
      headers: { 'if-match': '"1"' },
      looksAgain: true,
      outcome: '409 concurrent-modification',
    },
  ])('$method answers $outcome and never 404', async ({ method, headers, looksAgain, outcome }) => {
    const [one, other] = [await service.account(), await service.account()];
    const [from, to] = [await createProperty(one), await createProperty(other)];
    const { id } = await createTransaction(one, from.id);
    const move = `UPDATE transactions SET owner_id = ${other.id}, property_id = ${to.id}, version = 2 WHERE id = ${id}`;
    const body = method === 'PUT' ? { body: transactionRequest(to.id) } : {};
    const answer = await duringMove(
      () => admin.send(method, `/api/transactions/${id}`, { headers, ...body }),
      move,
      looksAgain,
    );
    expect(outcomeOf(answer)).toBe(outcome);
  });
});
