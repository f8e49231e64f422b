import pg from 'pg';
import { expectFaults, expectProblem, idsOf, pageOf } from './support/answers.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from './support/factories.js';
import type { Answer } from './support/client.js';
import { LedgerLoad } from './support/ledger-load.js';
import { Lock } from './support/locks.js';
import { type Account, type Service, startService } from './support/service.js';
import { differencesOf } from './support/totals.js';

let service: Service;
let admin: Account;

beforeAll(async () => {
  service = await startService();
  admin = await service.account('ADMIN');
});

/** The totals that the lists tell: properties, transactions, and those of each property. */
async function toldTo(caller: Account, ...propertyIds: number[]): Promise<number[]> {
  const paths = ['properties', 'transactions', ...propertyIds.map((id) => `transactions/property/${id}`)];
  const answers = await Promise.all(paths.map((path) => caller.get(`/api/${path}`)));
  return answers.map((answer) => pageOf(answer).totalElements);
}

describe('the totals of the lists', () => {
  it('follow every write', async () => {
    const owner = await service.account();
    expect(await toldTo(owner)).toEqual([0, 0]);
    const [first, second] = [(await createProperty(owner)).id, (await createProperty(owner)).id];
    expect(await toldTo(owner, first, second)).toEqual([2, 0, 0, 0]);
    const rows = [await createTransaction(owner, first), await createTransaction(owner, first)];
    expect(await toldTo(owner, first, second)).toEqual([2, 2, 2, 0]);
    const path = `/api/transactions/${rows[0]!.id}`;
    await owner.put(path, transactionRequest(first));
    expect(await toldTo(owner, first, second)).toEqual([2, 2, 2, 0]);
    await owner.put(path, transactionRequest(second));
    expect(await toldTo(owner, first, second)).toEqual([2, 2, 1, 1]);
    await owner.put(`/api/properties/${first}`, propertyRequest({ name: 'Renamed' }));
    await owner.delete(path);
    expect(await toldTo(owner, first, second)).toEqual([2, 1, 1, 0]);
    await owner.delete(`/api/properties/${second}`);
    expect(await toldTo(owner, first)).toEqual([1, 1, 1]);
    await owner.delete(`/api/transactions/${rows[1]!.id}`);
    await owner.delete(`/api/properties/${first}`);
    expect(await toldTo(owner)).toEqual([0, 0]);
    expect(await differencesOf(service)).toEqual([]);
  });

  it('do not follow what is refused', async () => {
    const owner = await service.account();
    const { id } = await createProperty(owner);
    const { id: foreign } = await createProperty(await service.account());
    const transaction = await createTransaction(owner, id);
    expectProblem(await owner.delete(`/api/properties/${id}`), 409, 'resource-in-use');
    expectProblem(await owner.post('/api/transactions', transactionRequest(foreign)), 404, 'not-found');
    expectFaults(await owner.post('/api/transactions', transactionRequest(id, { amount: 0 })), 'amount');
    const path = `/api/transactions/${transaction.id}`;
    expectProblem(await owner.put(path, transactionRequest(foreign)), 404, 'not-found');
    expectProblem(await owner.delete(path, { 'if-match': '"9"' }), 409, 'concurrent-modification');
    expect(await toldTo(owner, id)).toEqual([1, 1, 1]);
    expect(await differencesOf(service)).toEqual([]);
  });

  it('follow an ADMIN who files for an owner and moves to another', async () => {
    const [owner, other] = [await service.account(), await service.account()];
    const [home, far] = [(await createProperty(owner)).id, (await createProperty(other)).id];
    const { id } = await createTransaction(admin, home);
    expect([await toldTo(owner, home), await toldTo(other, far)]).toEqual([
      [1, 1, 1],
      [1, 0, 0],
    ]);
    await admin.put(`/api/transactions/${id}`, transactionRequest(far));
    expect([await toldTo(owner, home), await toldTo(other, far)]).toEqual([
      [1, 0, 0],
      [1, 1, 1],
    ]);
    expect(await differencesOf(service)).toEqual([]);
  });

  it('are the sums of all owners for an ADMIN, and those of a search without filters', async () => {
    const owner = await service.account();
    const { id } = await createProperty(owner);
    const before = await toldTo(admin);
    await Promise.all([createTransaction(owner, id), createTransaction(owner, id), createProperty(owner)]);
    const after = await toldTo(admin, id);
    expect(after).toEqual([before[0]! + 1, before[1]! + 2, 2]);
    for (const [caller, total] of [
      [admin, after[1]],
      [owner, 2],
    ] as const) {
      for (const body of [{}, { minAmount: 0 }]) {
        const answer = await caller.post('/api/transactions/search', body);
        expect(pageOf(answer).totalElements).toBe(total);
      }
    }
  });

  it('go with an account that is deleted', async () => {
    const owner = await service.account();
    await owner.delete(`/api/properties/${(await createProperty(owner)).id}`);
    expect((await admin.delete(`/api/users/${owner.id}`)).status).toBe(200);
    expect(await service.sql('SELECT FROM owner_totals WHERE owner_id = $1', [owner.id])).toEqual([]);
    expect(await differencesOf(service)).toEqual([]);
  });
});

describe('the totals under load', () => {
  it('begin with the first properties of an owner, all at once', async () => {
    const owner = await service.account();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => owner.post('/api/properties', propertyRequest())),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await toldTo(owner)).toEqual([12, 0]);
    expect(await differencesOf(service)).toEqual([]);
  });

  it('are those of the rows, and no plain creation ever fails, however writes overlap', async () => {
    const load = await LedgerLoad.on(service, 3);
    await load.run(8, (turn) => turn < 25);
    expect(await differencesOf(service)).toEqual([]);
    for (const { id, owner } of load.properties) {
      const listed = await owner.get(`/api/transactions/property/${id}?size=100`);
      expect(pageOf(listed).totalElements).toBe(idsOf(listed).length);
    }
  });

  it('make no deadlock of two moves in opposite directions, not even one that is undone and repeated', async () => {
    const owner = await service.account();
    const places = [(await createProperty(owner)).id, (await createProperty(owner)).id] as const;
    const [first, second] = [
      await createTransaction(owner, places[0]),
      await createTransaction(owner, places[1]),
    ];
    // With time between its two steps, each move holds the row that the other wants, unless something orders them.
    await service.sql(`CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(0.15); RETURN NULL; END $$`);
    await service.sql(
      'CREATE TRIGGER pause AFTER UPDATE ON property_totals FOR EACH ROW EXECUTE FUNCTION pause()',
    );
    const query = jest.spyOn(pg.Client.prototype, 'query');
    const answers = await Promise.all([
      owner.put(`/api/transactions/${first.id}`, transactionRequest(places[1])),
      owner.put(`/api/transactions/${second.id}`, transactionRequest(places[0])),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const updates = query.mock.calls.filter((call) => JSON.stringify(call).includes('UPDATE transactions'));
    query.mockRestore();
    await service.sql('DROP FUNCTION pause CASCADE');
    expect(updates).toHaveLength(2);
    expect(await toldTo(owner, ...places)).toEqual([2, 2, 1, 1]);
  });

  it.each<[write: string, send: (owner: Account, id: number, transactionId: number) => Promise<Answer>]>([
    ['a creation', (owner, id) => owner.post('/api/transactions', transactionRequest(id))],
    ['a deletion', (owner, _, transactionId) => owner.delete(`/api/transactions/${transactionId}`)],
    ["a property's deletion", (owner, id) => owner.delete(`/api/properties/${id}`)],
  ])('lock the owner before the property in %s', async (write, send) => {
    const owner = await service.account();
    const { id } = await createProperty(owner);
    const transactionId = write === 'a deletion' ? (await createTransaction(owner, id)).id : 0;
    const lock = await Lock.take(
      service,
      'SELECT FROM property_totals WHERE owner_id = $1 AND property_id = $2 FOR UPDATE',
      [owner.id, id],
    );
    const answer = send(owner, id, transactionId);
    await lock.waitedForBy(1);
    const unlocked = 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE SKIP LOCKED';
    expect(await service.sql(unlocked, [owner.id])).toEqual([]);
    await lock.release();
    expect((await answer).status).toBe(200);
  });

  it('are not waited for by an edit that leaves its transaction where it is', async () => {
    const owner = await service.account();
    const { id } = await createProperty(owner);
    const transaction = await createTransaction(owner, id);
    const lock = await Lock.take(service, 'SELECT FROM owner_totals WHERE owner_id = $1 FOR UPDATE', [
      owner.id,
    ]);
    const answer = await owner.put(`/api/transactions/${transaction.id}`, transactionRequest(id));
    await lock.release();
    expect(answer.status).toBe(200);
  });

  it('bear creations and moves within one owner in both directions without a conflict', async () => {
    const owner = await service.account();
    const places = [(await createProperty(owner)).id, (await createProperty(owner)).id];
    const rows = await Promise.all(
      Array.from({ length: 8 }, (_, index) => createTransaction(owner, places[index % 2]!)),
    );
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all([
        ...rows.map(({ id }, index) =>
          owner.put(`/api/transactions/${id}`, transactionRequest(places[(index + round + 1) % 2]!)),
        ),
        ...places.map((place) => owner.post('/api/transactions', transactionRequest(place))),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    }
    expect(await toldTo(owner, ...places)).toEqual([2, 20, 10, 10]);
    expect(await differencesOf(service)).toEqual([]);
  });
});
