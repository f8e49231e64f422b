import type { Answer } from './support/client.js';
import { createProperty, createTransaction, transactionRequest } from './support/factories.js';
import { Lock } from './support/locks.js';
import { outcomeOf } from './support/outcome.js';
import { type Account, type Service, startService } from './support/service.js';

const ALONE = 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE';

interface Case {
  readonly what: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly outcomes: readonly string[];
}

let service: Service;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  admin = await service.account('ADMIN');
});

/** Asks while the transaction is moved between the service's first look at it and its second. */
async function duringMove(ask: () => Promise<Answer>, move: string): Promise<Answer> {
  const before = await Lock.take(service, ALONE, []);
  const answer = ask();
  await before.waitedForBy(1);
  const moving = Lock.take(service, `${ALONE}; ${move}`, []); // it is the next in the queue
  await before.waitedForBy(2);
  await before.release();
  const moved = await moving;
  const isMet = moved.waitedForBy(1).catch(() => undefined); // unless it looks only once
  await Promise.race([answer, isMet]).finally(() => moved.release());
  return answer;
}

describe("a transaction that moves to another owner while an ADMIN's request is under way", () => {
  it.each<Case>([
    { what: 'is read', method: 'GET', headers: {}, outcomes: ['200'] },
    { what: 'is replaced', method: 'PUT', headers: {}, outcomes: ['200', '409 concurrent-modification'] },
    {
      what: 'is not deleted in place of the version that was meant',
      method: 'DELETE',
      headers: { 'if-match': '"1"' },
      outcomes: ['409 concurrent-modification'],
    },
  ])('$what: it never was not there', async ({ method, headers, outcomes }) => {
    const [one, other] = [await service.account(), await service.account()];
    const [from, to] = [await createProperty(one), await createProperty(other)];
    const { id } = await createTransaction(one, from.id);
    const move = `UPDATE transactions SET owner_id = ${other.id}, property_id = ${to.id}, version = 2 WHERE id = ${id}`;
    const body = method === 'PUT' ? { body: transactionRequest(to.id) } : {};
    const answer = await duringMove(
      () => admin.send(method, `/api/transactions/${id}`, { headers, ...body }),
      move,
    );
    expect(outcomes).toContain(outcomeOf(answer));
  });
});
